"""The page /docs in a real browser."""

import os
import shutil
from urllib.parse import urlsplit

import pytest
from django.db import connection

from tests.factories import SkillFactory
from tests.interfaces.test_openapi import OPERATIONS

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.external,
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (Debian's package)"),
]


@pytest.fixture
def page(monkeypatch):
    # Playwright keeps a loop running, beside which Django would refuse to ask the database.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with playwright.sync_playwright() as player:
        browser = player.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        yield browser.new_page(viewport={"width": 1200, "height": 900})
        browser.close()
        # The loop had a connection of its own.
        connection.close()


def test_it_shows_every_operation_and_tries_one(live_server_of, page, tmp_path):
    server = live_server_of()
    SkillFactory(slug="pdf-tables")
    errors, hosts = [], set()
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("requestfailed", lambda request: errors.append(request.url))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))

    page.goto(f"http://127.0.0.1:{server.port}/docs")
    page.wait_for_selector(".opblock")
    assert page.locator(".opblock").count() == len(OPERATIONS)
    page.screenshot(path=tmp_path / "docs.png", full_page=True)

    operation = page.locator("#operations-Catalogue-list_skills")
    operation.locator(".opblock-summary-control").click()
    operation.locator("button.execute").click()
    responses = operation.locator(".live-responses-table")
    assert responses.locator(".response-col_status").last.inner_text().split() == ["200"]
    assert "pdf-tables" in responses.inner_text()
    page.screenshot(path=tmp_path / "docs-tried.png", full_page=True)

    assert errors == []
    assert hosts - {""} == {f"127.0.0.1:{server.port}"}
