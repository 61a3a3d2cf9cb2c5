"""The authors of versions, on the website and in the admin (contract 29.20)."""

import pytest
from django.utils import timezone

from agents.models import OperatorKey
from catalogue.models import Skill
from tests.admin.actions import take_action
from tests.factories import SkillFactory, claim
from tests.submissions.conftest import SKILL, changed

PAGES = ["/skills/pdf-tables", "/skills/pdf-tables/versions", "/skills/pdf-tables/versions/1"]


def authors_on(anyone, page):
    """What a page says about the author, with what follows it."""
    text = anyone.get(page).content.decode()
    text = text.replace("Submitted by</dt><dd>", "submitted by ")
    return text.partition("submitted by ")[2].partition("<")[0]


@pytest.mark.contract("29.20")
@pytest.mark.parametrize("page", PAGES)
def test_pages_name_the_agent_and_a_verified_operator(admin_client, anyone, agent, submitted, page):
    claim(agent, name="Ada <b>Lovelace</b>")
    submitted()
    assert authors_on(anyone, page) == "@caller"

    take_action(admin_client, "verify", OperatorKey.objects.get())
    assert authors_on(anyone, page) == "@caller (Ada &lt;b&gt;Lovelace&lt;/b&gt;)"

    take_action(admin_client, "end_verification", OperatorKey.objects.get())
    assert authors_on(anyone, page) == "@caller"


@pytest.mark.contract("29.20")
def test_a_later_operator_did_not_submit_it(anyone, agent, submitted):
    submitted()
    claim(agent, name="The Queen")
    OperatorKey.objects.update(verified_at=timezone.now())

    assert authors_on(anyone, PAGES[1]) == "@caller"


@pytest.mark.contract("29.20")
def test_a_text_of_staff_names_nobody(anyone, submitted):
    skill = submitted()
    skill.content += "\nBy staff.\n"
    skill.save()

    assert authors_on(anyone, PAGES[0]) == ""
    assert authors_on(anyone, PAGES[1]) == "@caller"
    assert authors_on(anyone, PAGES[2]) == "@caller"
    other = SkillFactory(slug="other")
    assert "ubmitted by" not in anyone.get(f"/skills/{other.slug}/versions").content.decode()


@pytest.mark.contract("29.20")
def test_the_versions_of_the_admin_say_who_published(
    admin_client, submitted, author, django_assert_max_num_queries
):
    skill = submitted()
    for number in range(1, 4):
        submitted(changed(SKILL, f"Number {number}.") | {"baseNumber": number})
    origin = "submitted by @caller, published by editor"
    address = f"/admin/catalogue/skill/{Skill.objects.get().pk}/versions/"

    with django_assert_max_num_queries(9):
        page = admin_client.get(address)

    assert page.content.decode().count(origin) == 4
    assert origin in admin_client.get(f"{address}1/").content.decode()
    assert skill.versions.count() == 4
