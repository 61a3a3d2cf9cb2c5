"""Pages of a members-only catalogue for people: sign in, come back, sign out (contract 26.8)"""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from catalogue.models import Skill
from tests.browser import untouched_form
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, claim

PAGES = [
    *("/skills", "/personas", "/skills?q=pdf&sort=name", "/skills/pdf-tables"),
    *("/skills/pdf-tables/versions", "/skills/pdf-tables/versions/1", "/personas/archivist"),
    *("/skills/pdf-tables/files/run.py", "/personas/archivist/versions/1"),
]
FILES = "/api/v1/skills/pdf-tables"
LINKED = [f"{FILES}/SKILL.md", f"{FILES}/archive.zip", f"{FILES}/files/run.py", "/suggest?q=pdf"]

pytestmark = pytest.mark.usefixtures("members_only_module")


@pytest.fixture(autouse=True)
def catalogue(db):
    skill = SkillFactory(slug="pdf-tables", title="PDF", files={"run.py": b"print(1)"})
    PersonaFactory(slug="archivist", skills=[skill])


@pytest.fixture
def key(agent):
    return claim(agent)


def sign_in(browser, address, key):
    """Open the address, which leads to the log-in, and send its form; returns the response."""
    led = browser.get(address)
    form = untouched_form(browser.get(led["Location"])) | {"key": key}
    return browser.post(led["Location"], form)


@pytest.fixture
def member(browser, key):
    """An operator's browser."""
    sign_in(browser, "/skills", key)
    return browser


@pytest.mark.contract("26.8")
@pytest.mark.parametrize("page", PAGES)
def test_a_page_leads_to_the_log_in_and_that_leads_back(browser, key, page):
    led = browser.get(page)
    address = urlsplit(led["Location"])
    assert (led.status_code, address.path) == (302, "/operator")
    assert parse_qs(address.query) == {"next": [page]}
    assert led["Cache-Control"] == "no-store"

    signed_in = sign_in(browser, page, key)

    assert (signed_in.status_code, signed_in["Location"]) == (302, page)
    response = browser.get(page)
    assert response.status_code == 200
    assert response["Cache-Control"] == "private, no-cache"


def test_a_long_address_is_cut(browser):
    led = browser.get(f"/skills?q={'x' * 3000}")

    assert (led.status_code, led["Location"]) == (302, "/operator?next=%2Fskills")


def test_staff_who_are_logged_in_already_are_led_back(browser):
    browser.force_login(User.objects.create_user("grace", is_staff=True))

    response = browser.get("/admin/login/?next=%2Fskills%2Fpdf-tables", follow=True)

    assert response.request["PATH_INFO"] == "/skills/pdf-tables"
    assert response.status_code == 200


def test_a_wrong_key_comes_back_to_the_same_form(browser):
    form = browser.get("/operator?next=/skills/pdf-tables")

    refused = browser.post("/operator?next=/skills/pdf-tables", untouched_form(form) | {"key": "x"})

    assert refused.status_code == 400
    assert 'action="/operator?next=%2Fskills%2Fpdf-tables"' in refused.content.decode()


ELSEWHERE = [
    *("https://evil.example/", "//evil.example", "///evil.example", "/\\evil.example"),
    *("\\\\evil.example", "javascript:alert(1)", "evil.example", "/\t/evil.example"),
    *("/skills\r\nSet-Cookie: a=b", "http:///evil.example", " /skills", "", "/skills\x00"),
]


@pytest.mark.contract("26.8")
def test_the_log_in_leads_to_no_other_site(browser, key, alone):
    for address in ELSEWHERE:
        with alone(address):
            browser.cookies.clear()
            form = untouched_form(browser.get("/operator", {"next": address})) | {"key": key}

            response = browser.post("/operator", form, query_params={"next": address})

            assert (response.status_code, response["Location"]) == (302, "/operator")
            assert "evil" not in browser.get("/operator", {"next": address}).content.decode()


def test_a_signed_in_person_skips_the_form(member):
    response = member.get("/operator?next=/skills/pdf-tables")

    assert (response.status_code, response["Location"]) == (302, "/skills/pdf-tables")


def test_a_link_on_another_site_is_continued(browser):
    page = browser.get("/operator?next=/skills", headers={"Sec-Fetch-Site": "cross-site"})

    assert '<a href="/skills">continue</a>' in page.content.decode()


@pytest.mark.contract("26.8")
@pytest.mark.parametrize("address", LINKED)
def test_a_signed_in_person_can_open_what_pages_link_to(member, address):
    assert Client().get(address).status_code == 401

    response = member.get(address)

    assert response.status_code == 200
    assert response["Cache-Control"] == "private, no-cache"


@pytest.mark.contract("26.8")
def test_a_session_opens_nothing_else_of_the_api(member):
    for path in (FILES, "/api/v1/skills", "/api/v1/changes", "/api/v1/agents/me"):
        assert member.get(path).status_code == 401


@pytest.mark.contract("26.8")
def test_staff_read_the_pages(browser):
    browser.force_login(User.objects.create_user("grace", is_staff=True))

    assert {browser.get(page).status_code for page in [*PAGES, *LINKED]} == {200}


@pytest.mark.contract("26.8")
def test_the_log_in_of_staff_leads_back(browser):
    User.objects.create_superuser("grace", password="right-password")
    page = browser.get("/operator?next=/skills/pdf-tables").content.decode()
    assert '<a href="/admin/login/?next=%2Fskills%2Fpdf-tables">' in page

    address = "/admin/login/?next=%2Fskills%2Fpdf-tables"
    form = untouched_form(browser.get(address))
    response = browser.post(address, form | {"username": "grace", "password": "right-password"})

    assert (response.status_code, response["Location"]) == (302, "/skills/pdf-tables")
    assert browser.get("/skills/pdf-tables").status_code == 200


def test_a_former_member_of_staff_reads_nothing(browser):
    user = User.objects.create_user("grace", is_staff=True)
    browser.force_login(user)
    assert browser.get("/skills").status_code == 200
    user.is_staff = False
    user.save()

    assert browser.get("/skills").status_code == 302


def test_staff_without_their_second_factor_read_nothing(browser, settings):
    settings.SECOND_FACTOR = "staff"
    browser.force_login(User.objects.create_user("grace", is_staff=True))

    assert browser.get("/skills").status_code == 302


def test_an_ended_session_reads_nothing_more(member):
    assert member.get("/skills").status_code == 200
    member.post("/operator/log-out", untouched_form(member.get("/operator")))

    assert member.get("/skills").status_code == 302


@pytest.mark.contract("26.8")
def test_signing_out_everywhere_ends_every_browser(member, key):
    other = Client()
    sign_in(other, "/skills", key)
    assert other.get("/skills").status_code == 200
    member.post("/operator/end-sessions", untouched_form(member.get("/operator/end-sessions")))

    for browser in (member, other):
        assert browser.get("/skills").status_code == 302


def test_a_revoked_key_reads_nothing_more(member, agent):
    agent.claim.refresh_from_db()
    agent.claim.key.revoke()

    assert member.get("/skills").status_code == 302


@pytest.mark.contract("26.8")
def test_a_token_opens_pages_too(client, client_of):
    suspended = AgentFactory()
    suspended.suspend()

    assert client.get("/skills/pdf-tables").status_code == 200
    assert client_of(suspended).get("/skills/pdf-tables").status_code == 302


def test_the_cookie_is_sent_to_every_page_and_no_other_site(browser, key):
    cookie = sign_in(browser, "/skills", key).cookies["operator-member"]

    assert (cookie["path"], cookie["samesite"], cookie["httponly"]) == ("/", "Strict", True)


def test_pages_announce_nothing_to_the_public(member):
    for path in ("/skills", "/skills/pdf-tables", "/"):
        page = member.get(path).content.decode()

        assert '<a href="/operator">Account</a>' in page
        assert "/feed.atom" not in page


def test_the_authorization_of_a_proxy_does_not_sign_anybody_out(member):
    response = member.get("/skills", headers={"Authorization": "Basic YWxpY2U6eA=="})

    assert response.status_code == 200


def test_nobody_signs_in_for_a_public_catalogue(browser, settings):
    settings.CATALOGUE = "public"

    assert "members" not in browser.get("/operator?next=/skills").content.decode()


def test_the_page_of_a_recalled_entry_is_for_readers(member):
    Skill.objects.get().recall("It leaks quillwort.")
    member_page = member.get("/skills/pdf-tables")
    assert member_page.status_code == 410
    assert "It leaks quillwort." in member_page.content.decode()

    page = Client().get("/skills/pdf-tables")

    assert (page.status_code, page.content) == (302, b"")
