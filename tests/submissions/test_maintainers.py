"""Maintainers and trust on the page of an entry (contract 29.8, 29.13)."""

import pytest
from django.contrib.admin.models import LogEntry

from catalogue.models import Skill
from submissions.models import Maintainer, Submission
from tests.browser import untouched_form
from tests.factories import AgentFactory, SkillFactory, claim
from tests.submissions.conftest import SKILL, TEXT, URL, changed

SKILLS = "/admin/catalogue/skill/"
OPEN = "Every agent that may submit can propose changes."


@pytest.fixture
def skill(submitted):
    return submitted()


def panel_of(client, skill):
    page = client.get(f"{SKILLS}{skill.pk}/change/")
    return next(panel for panel in page.context["panels"] if panel["title"] == "Maintainers")


def act(client, skill, action, **fields):
    """Do something with the first maintainer, as its page confirms it."""
    row = Maintainer.objects.present().first()
    address = f"{SKILLS}{skill.pk}/maintainers/{row.pk}/{action}/"
    form = untouched_form(client.get(address)) | {"confirmed": "yes", **fields}
    response = client.post(address, form)
    assert response.status_code == 302
    return response


def logged():
    return [str(entry.change_message) for entry in LogEntry.objects.order_by("-pk")]


@pytest.mark.contract("29.8")
def test_the_page_of_an_entry_shows_its_maintainers(admin_client, skill):
    panel = panel_of(admin_client, skill)
    agent = Maintainer.objects.get().agent

    closed = "Only its maintainers, and the other agents of their operators, can propose changes."
    assert panel["rows"] == [
        ("@caller", "", f"/admin/agents/agent/{agent.pk}/change/"),
        (closed, "", ""),
    ]
    assert panel_of(admin_client, SkillFactory())["rows"] == [(OPEN, "", "")]


@pytest.mark.contract("29.8")
def test_staff_add_a_maintainer_by_its_handle(admin_client, skill, author_of):
    other = AgentFactory(handle="other")
    address = f"{SKILLS}{skill.pk}/maintainers/"
    refused = admin_client.post(address, {"agent": "nobody"})
    assert "No agent is called nobody." in refused.content.decode()
    assert author_of(other).post(URL, changed(SKILL)).status_code == 409

    assert admin_client.post(address, {"agent": "@Other "}).status_code == 302

    assert author_of(other).post(URL, changed(SKILL)).status_code == 201
    assert logged() == ["Made @other a maintainer."]
    assert "@other" in admin_client.get(address).content.decode()


@pytest.mark.contract("29.8")
@pytest.mark.parametrize(("fields", "status"), [({}, 409), ({"opens": "on"}, 201)])
def test_removing_the_last_one_asks_whether_the_entry_opens(
    admin_client, skill, author_of, fields, status
):
    address = f"{SKILLS}{skill.pk}/maintainers/{Maintainer.objects.get().pk}/remove/"
    assert "Open the entry to everybody" in admin_client.get(address).content.decode()

    act(admin_client, skill, "remove", **fields)

    assert author_of(AgentFactory()).post(URL, changed(SKILL)).status_code == status
    [state] = panel_of(admin_client, skill)["rows"]
    assert (state[0] == OPEN) == (status == 201)
    assert logged()[0].startswith("Removed the maintainer @caller.")


def test_one_of_several_is_removed_without_that_question(admin_client, skill):
    Maintainer.objects.add(skill, AgentFactory())
    row = Maintainer.objects.first()

    page = admin_client.get(f"{SKILLS}{skill.pk}/maintainers/{row.pk}/remove/").content.decode()

    assert "Open the entry" not in page


@pytest.mark.contract("29.8")
def test_a_closed_entry_can_be_opened_later(admin_client, skill, author_of):
    address = f"{SKILLS}{skill.pk}/maintainers/open/"
    assert admin_client.post(address, {"confirmed": "yes"}).status_code == 302
    assert Maintainer.objects.exists()  # It is not closed.
    act(admin_client, skill, "remove")

    form = untouched_form(admin_client.get(address)) | {"confirmed": "yes"}
    admin_client.post(address, form)

    assert author_of(AgentFactory()).post(URL, changed(SKILL)).status_code == 201


@pytest.mark.contract("29.13")
def test_staff_trust_a_maintainer_and_end_it(admin_client, author, agent, skill):
    claim(agent)
    act(admin_client, skill, "trust")
    assert panel_of(admin_client, skill)["rows"][0][1].startswith("trusted since ")
    sent = author.post(URL, changed(SKILL) | {"baseNumber": 1}).json()
    assert sent["state"] == "published"

    act(admin_client, skill, "end_trust")

    assert author.post(URL, SKILL | {"baseNumber": 2}).json()["state"] == "pending"
    assert logged()[:2] == ["Ended the trust in @caller.", "Trusted @caller."]
    assert Skill.objects.get().content != TEXT
    assert Submission.objects.pending().count() == 1


@pytest.mark.contract("29.8")
@pytest.mark.parametrize("role", ["Editors", "Moderators"])
def test_editors_change_maintainers(admin_client_of, skill, role):
    row, client = Maintainer.objects.get(), admin_client_of(role)
    places = ["", "open/", f"{row.pk}/trust/"]
    expected = [200, 302, 200] if role == "Editors" else [403, 403, 403]

    statuses = [client.get(f"{SKILLS}{skill.pk}/maintainers/{p}").status_code for p in places]

    assert statuses == expected


@pytest.mark.parametrize("place", ["0/trust/", "{}/refuse/", "{}/save/"])
def test_what_no_maintainer_can_do_is_not_found(admin_client, skill, place):
    address = f"{SKILLS}{skill.pk}/maintainers/{place.format(Maintainer.objects.get().pk)}"

    assert admin_client.get(address).status_code == 404


@pytest.mark.contract("29.1")
def test_without_submissions_there_is_no_panel(admin_client, skill, settings):
    settings.SUBMISSIONS = "off"

    page = admin_client.get(f"{SKILLS}{skill.pk}/change/")

    assert "Maintainers" not in [panel["title"] for panel in page.context["panels"]]
    assert admin_client.get(f"{SKILLS}{skill.pk}/maintainers/").status_code == 404
