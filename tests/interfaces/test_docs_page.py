"""The page /docs in a real browser."""

import pytest

from tests.chromium import SCREENS, Visitor, needs_chromium, visit
from tests.factories import SkillFactory
from tests.interfaces.test_openapi import OPERATIONS

pytestmark = [pytest.mark.external, needs_chromium]


@pytest.fixture
def visitor(request, live_server_of):
    size, scheme = getattr(request, "param", ("desktop", "light"))
    with visit(Visitor, live_server_of(), size, color_scheme=scheme) as visitor:
        visitor.open("/docs")
        visitor.page.wait_for_selector(".opblock")
        yield visitor


def test_it_shows_every_operation_and_tries_one(visitor):
    SkillFactory(slug="pdf-tables")
    assert visitor.page.locator(".opblock").count() == len(OPERATIONS)

    operation = visitor.page.locator("#operations-Catalogue-list_skills")
    operation.locator(".opblock-summary-control").click()
    operation.locator("button.execute").click()
    responses = operation.locator(".live-responses-table")
    assert responses.locator(".response-col_status").last.inner_text().split() == ["200"]
    assert "pdf-tables" in responses.inner_text()

    assert visitor.errors == []


@pytest.mark.parametrize("visitor", SCREENS, ids="-".join, indirect=True)
def test_it_looks_like_the_site_and_everybody_can_use_it(visitor, serious_violations):
    page = visitor.page
    assert page.locator(".top nav a").count() >= 4
    for operation in ("Agents-register_agent", "Catalogue-list_skills"):
        page.click(f"#operations-{operation} .opblock-summary-control")
        page.wait_for_selector(f"#operations-{operation} .responses-table")

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert serious_violations(page) == []

    page.click(".btn.authorize")
    page.wait_for_selector(".modal-ux")
    assert serious_violations(page) == []
    assert visitor.errors == []
