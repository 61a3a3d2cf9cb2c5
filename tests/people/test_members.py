"""Members read the pages of a members-only catalogue (contract 32.13)"""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from people.exceptions import NO_GROUP
from people.models import Provider
from tests.browser import untouched_form
from tests.factories import AgentFactory, SkillFactory, claim
from tests.people.conftest import SIGN_IN

pytestmark = pytest.mark.usefixtures("members")

PAGE = "/skills/pdf-tables"
LINKED = ["/api/v1/skills/pdf-tables/SKILL.md", "/suggest?q=pdf"]


@pytest.fixture(autouse=True)
def skill(members):
    return SkillFactory(slug="pdf-tables", title="PDF")


@pytest.fixture
def alan(browser_of):
    """A member's browser, after signing in."""
    browser = browser_of("alan")
    response = browser.sign_in(back=PAGE)
    assert (response.status_code, response["Location"]) == (302, PAGE)
    return browser


@pytest.mark.contract("32.13")
def test_a_member_reads_as_staff_do_and_is_no_staff(alan):
    page = alan.get(PAGE)

    assert (page.status_code, page["Cache-Control"]) == (200, "private, no-cache")
    assert [alan.get(path).status_code for path in LINKED] == [200, 200]
    for path in ("/api/v1/skills", "/api/v1/skills/pdf-tables"):
        assert alan.get(path).status_code == 401
    assert alan.get("/admin/")["Location"] == "/admin/login/?next=/admin/"
    user = User.objects.get()
    assert (user.is_staff, user.is_superuser, user.groups.count()) == (False, False, 0)


@pytest.mark.contract("32.13")
def test_the_log_in_offers_it_and_leads_back(browser_of):
    led = browser_of().get(PAGE)
    page = browser_of().get(led["Location"]).content.decode()

    assert f'href="{SIGN_IN}?next=%2Fskills%2Fpdf-tables">Sign in with your company' in page
    assert browser_of("alan").sign_in()["Location"] == "/"


@pytest.mark.contract("32.13", "32.14")
def test_a_member_signs_out(alan):
    account = alan.get("/operator")
    assert "You read the catalogue as Alan Turing (oidc:" in account.content.decode()

    assert alan.post("/admin/logout/").status_code == 200

    assert alan.get(PAGE)["Location"] == "/operator?next=%2Fskills%2Fpdf-tables"
    account = alan.get("/operator").content.decode()
    assert "You read the catalogue" not in account
    assert f'href="{SIGN_IN}">Sign in with your company account' in account


@pytest.mark.contract("32.10", "32.13")
def test_members_are_looked_at_again(provider, alan, age):
    age(alan)
    assert [alan.get(path, headers={"Sec-Fetch-Mode": "cors"}).status_code for path in LINKED] == [
        401,
        401,
    ]
    back = alan.come_back(alan.lead(alan.get(PAGE)))
    assert (back.status_code, back["Location"]) == (302, PAGE)
    assert alan.get(PAGE).status_code == 200

    age(alan)
    provider.people["alan"]["groups"] = ["guests"]
    refused = alan.come_back(alan.lead(alan.get(PAGE)))

    assert (refused.status_code, refused.context["sentence"]) == (403, NO_GROUP)
    assert alan.get(PAGE)["Location"] == "/operator?next=%2Fskills%2Fpdf-tables"


@pytest.mark.contract("32.10")
def test_the_form_of_an_operator_needs_no_look(alan, age):
    form = untouched_form(alan.get("/operator?next=/skills"))
    age(alan)

    assert alan.post("/operator?next=/skills", form | {"key": "x"}).status_code == 400


@pytest.mark.contract("32.10")
def test_while_the_provider_is_down_an_operator_reads_with_the_key(alan, age, provider):
    key = claim(AgentFactory())
    age(alan)
    provider.__exit__()
    Provider.objects.all().delete()
    assert alan.get(PAGE).status_code == 503
    start, unknown = alan.get("/"), alan.get("/unknown", headers={"Accept": "text/html"})
    assert (start.status_code, unknown.status_code) == (200, 404)

    assert "You read the catalogue as Alan" in alan.get("/operator").content.decode()
    log_in = alan.get("/operator?next=/skills/pdf-tables")
    opened = alan.post("/operator?next=/skills/pdf-tables", untouched_form(log_in) | {"key": key})

    assert (opened.status_code, opened["Location"]) == (302, PAGE)
    assert alan.get(PAGE).status_code == 200
    assert alan.get("/admin/").status_code == 503


@pytest.mark.contract("32.13")
def test_staff_without_the_group_read_too_and_other_users_do_not(browser_of, provider):
    provider.people["ada"]["groups"] = ["writers"]
    browser = browser_of("ada")
    browser.sign_in()
    assert browser.get(PAGE).status_code == 200

    local = Client()
    local.force_login(User.objects.create_user("local"))

    assert local.get(PAGE).status_code == 302


@pytest.mark.contract("32.13")
def test_a_group_that_no_longer_counts(alan, settings):
    settings.OIDC_GROUPS = {"editors": {"writers"}}

    assert alan.get(PAGE).status_code == 302
