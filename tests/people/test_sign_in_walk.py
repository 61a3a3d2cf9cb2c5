"""The whole way in, in a real browser, at a real provider (contract 32)"""

import time
from contextlib import contextmanager
from importlib import import_module

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session

from catalogue.models import Skill
from demo.provider import DemoProvider
from people.models import Person
from tests.admin.rows import change_page
from tests.chromium import Visitor, needs_chromium, visit
from tests.factories import SkillFactory

pytestmark = [pytest.mark.external, needs_chromium]

BUTTON = "Sign in with your company account"


@pytest.fixture
def provider(transactional_db):
    with DemoProvider() as provider:
        yield provider


@pytest.fixture
def visitor_of(provider, own_server_of, serious_violations):
    """Somebody at the browser, and a server with these variables."""

    @contextmanager
    def visitor_of(**variables):
        server = own_server_of(**(provider.environment() | variables))
        with visit(Visitor, server, "desktop") as visitor:
            visitor.serious_violations = serious_violations
            yield visitor

    return visitor_of


def choose(visitor, name):
    """Choose a person at the provider, and arrive at the marketplace's page."""
    visitor.page.click(f"a:has-text('{name}')")
    visitor.page.wait_for_url(f"{visitor.url}/**")
    visitor.page.wait_for_url(lambda url: "sign-in" not in url)


def arrive(visitor, path):
    """Open a page, to which the provider leads back."""
    visitor.open(path)
    visitor.page.wait_for_url(visitor.url + path)


def assert_no_errors(provider, visitor):
    """But for requests to the provider, and for the pages that are a 403."""
    texts = [text for _, text in visitor.errors if f"a request to {provider.url}/" not in text]
    assert all("403" in text for text in texts), texts


def age_all():
    """Let the last look of every session lie 15 minutes back."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    for key in Session.objects.values_list("pk", flat=True):
        session = store(key)
        session["looked_at"] = int(time.time()) - 15 * 60
        session.save()


def test_an_editor_works_through_a_day(provider, visitor_of):
    skill = SkillFactory(title="Before")
    with visitor_of(OIDC_GROUPS="editors=writers,superusers=it") as visitor:
        page, url = visitor.page, f"{visitor.url}{change_page(skill)}"
        page.goto(url)
        assert visitor.serious_violations(page) == []
        visitor.press(BUTTON, within="body")
        choose(visitor, "Ada Lovelace")
        assert page.url == url
        assert "Ada Lovelace" in page.content()
        cookies = {cookie["name"]: cookie["sameSite"] for cookie in page.context.cookies()}
        assert cookies["staff"] == "Strict"
        assert not any(name.startswith("sign-in-") for name in cookies)

        # A look that nobody sees.
        age_all()
        arrive(visitor, "/admin/catalogue/skill/")

        # A form that was opened before: sign in in another tab, and send it again.
        visitor.open(change_page(skill))
        page.fill("[name=title]", "After")
        age_all()
        page.click("[name=_save]")
        page.wait_for_load_state()
        assert "Sign in again, then send it again" in page.inner_text("#main")
        with page.context.expect_page() as opened:
            page.click("a:has-text('Sign in again')")
        opened.value.wait_for_url(f"{visitor.url}/admin/")
        opened.value.close()
        page.reload()
        assert Skill.objects.get().title == "After"

        provider.people["ada"]["groups"] = ["guests"]
        age_all()
        page.goto(url)
        page.wait_for_selector("h1:has-text('You are not signed in')")
        assert "in no group that opens this marketplace" in visitor.text()
        assert Person.objects.get().groups == []
        assert_no_errors(provider, visitor)


def test_a_member_reads_and_signs_out(provider, visitor_of):
    SkillFactory(slug="pdf-tables", title="PDF Tables")
    with visitor_of(CATALOGUE="members", REGISTRATION="invitation") as visitor:
        page = visitor.page
        page.goto(f"{visitor.url}/skills/pdf-tables")
        assert visitor.serious_violations(page) == []
        visitor.press(BUTTON)
        choose(visitor, "Alan Turing")
        assert page.url == f"{visitor.url}/skills/pdf-tables"
        assert "PDF Tables" in visitor.text()

        age_all()
        arrive(visitor, "/skills")
        visitor.press("Account", within="header")
        assert "You read the catalogue as Alan Turing" in visitor.text()
        page.click("button:has-text('Sign out')")
        page.wait_for_load_state()
        page.goto(f"{visitor.url}/skills")
        assert page.url.endswith("/operator?next=%2Fskills")

        # The provider still knows the person, and asks nothing.
        visitor.press(BUTTON)
        page.wait_for_url(f"{visitor.url}/skills")
        provider.people.pop("alan")
        age_all()
        page.goto(f"{visitor.url}/skills")
        page.wait_for_selector("h1:has-text('You are not signed in')")
        assert "login_required" in visitor.text()
        assert_no_errors(provider, visitor)
