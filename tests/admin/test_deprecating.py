"""Staff deprecate an entry, name what replaces it, and take it back"""

import pytest
from django.contrib.admin.models import LogEntry

from tests.admin.actions import take_action, told
from tests.admin.rows import change_page
from tests.factories import PersonaFactory, SkillFactory, SkillInstallFactory

URL = "/api/v1/skills/pdf-tables"


@pytest.fixture
def skill(db):
    return SkillFactory(slug="pdf-tables")


def deprecate(admin_client, *entries, message="It reads scans only.", successor=""):
    return take_action(admin_client, "deprecate", *entries, message=message, successor=successor)


def test_it_is_asked_first_and_shows_how_many_have_it(admin_client, anyone, skill):
    SkillInstallFactory(skill=skill)

    page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/do/deprecate/")

    assert "<b>pdf-tables</b><span>1 agent</span>" in page.content.decode()
    assert anyone.get(URL).json()["deprecation"] is None


def test_a_message_and_a_successor_are_shown_to_everybody(admin_client, anyone, skill):
    SkillFactory(slug="pdf-forms")

    deprecate(admin_client, skill, successor="pdf-forms")

    assert anyone.get(URL).json()["deprecation"] == {
        "message": "It reads scans only.",
        "replacedBy": "pdf-forms",
    }
    snapshot = skill.history.first()
    assert snapshot.history_change_reason == "Deprecated: It reads scans only."
    assert snapshot.history_user.username == "clerk-0"
    page = admin_client.get(change_page(skill)).content.decode()
    assert "It reads scans only." in page
    assert "pdf-forms" in page
    assert ">deprecated<" in admin_client.get("/admin/catalogue/skill/").content.decode()


def test_a_message_is_corrected(admin_client, skill):
    deprecate(admin_client, skill, successor=SkillFactory(slug="pdf-forms").slug)

    page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/do/deprecate/").content.decode()

    assert ">It reads scans only.</textarea>" in page.replace("\n", "")
    assert 'value="pdf-forms"' in page


def test_staff_see_that_a_successor_is_not_shown(admin_client, skill):
    successor = SkillFactory(slug="pdf-forms")
    deprecate(admin_client, skill, successor="pdf-forms")

    successor.withdraw()

    page = admin_client.get(change_page(skill)).content.decode()
    assert "pdf-forms (withdrawn, so agents do not see it)" in page
    history = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/history/").content.decode()
    assert "pdf-forms" in history


def test_it_is_taken_back(admin_client, anyone, skill):
    deprecate(admin_client, skill)

    take_action(admin_client, "end_deprecation", skill)

    assert anyone.get(URL).json()["deprecation"] is None
    assert skill.history.first().history_change_reason == "No longer deprecated."


def test_it_is_taken_back_only_where_there_is_one(admin_client, skill):
    url = f"/admin/catalogue/skill/{skill.pk}/do/end_deprecation/"
    assert url not in admin_client.get(change_page(skill)).content.decode()

    for page in (
        take_action(admin_client, "end_deprecation", skill),
        admin_client.post(url, {"confirmed": "yes"}, follow=True),
    ):
        assert told(page) == ["Nothing to end: none of these is deprecated."]
    assert not LogEntry.objects.exists()

    deprecate(admin_client, skill)

    assert url in admin_client.get(change_page(skill)).content.decode()


@pytest.mark.contract("18.7")
@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"message": " "}, "This field is required."),
        ({"message": "See mkt_agent_" + "a" * 38}, "Remove the agent token from this text"),
        ({"message": "x" * 1001}, "Ensure this value has at most 1000 characters"),
        ({"successor": "no-such"}, "No published skill is called no-such."),
        ({"successor": "a-draft"}, "No published skill is called a-draft."),
        ({"successor": "archivist"}, "No published skill is called archivist."),
        ({"successor": "pdf-tables"}, "pdf-tables cannot replace itself."),
    ],
)
def test_an_invalid_deprecation_is_refused(admin_client, anyone, skill, fields, error):
    SkillFactory(slug="a-draft", status="draft")
    PersonaFactory(slug="archivist")

    response = deprecate(admin_client, skill, **fields)

    assert error in response.content.decode()
    assert anyone.get(URL).json()["deprecation"] is None


def test_a_message_has_plain_newlines(admin_client, anyone, skill):
    deprecate(admin_client, skill, message="Old.\r\nGone.")

    assert anyone.get(URL).json()["deprecation"]["message"] == "Old.\nGone."


def test_several_get_the_same_message(admin_client, anyone, skill):
    other = SkillFactory(slug="pdf-words")

    deprecate(admin_client, skill, other, successor=SkillFactory(slug="pdf").slug)

    for slug in ("pdf-tables", "pdf-words"):
        assert anyone.get(f"/api/v1/skills/{slug}").json()["deprecation"]["replacedBy"] == "pdf"
