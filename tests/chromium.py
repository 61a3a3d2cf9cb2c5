"""A real browser: Debian's chromium, driven by Playwright.

No page may log an error, such as a violated Content-Security-Policy or a failed request or script.
"""

import os
import shutil
from contextlib import contextmanager
from unittest.mock import patch
from urllib.parse import urlsplit

import pytest
from django.db import connection

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (Debian's package)")
SIZES = {
    "desktop": (1280, 900),
    "phone": (390, 844),
    "small phone": (360, 740),
    "tablet": (768, 1024),
}
# Which colors are shown does not depend on the size, so each scheme is looked at on one of them.
SCREENS = [("desktop", "light"), ("phone", "dark")]


class Visitor:
    """Opens pages and collects the errors of each."""

    def __init__(self, page, server):
        self.page = page
        self.server = server
        self.url = f"http://127.0.0.1:{server.port}"
        self.errors = []
        page.on("console", self.note_console)
        page.on("pageerror", lambda error: self.errors.append((page.url, str(error))))
        page.on("requestfailed", self.note_failure)
        page.on("request", self.note_request)

    def note_console(self, message):
        if message.type in {"error", "warning"}:
            self.errors.append((self.page.url, message.text))

    def note_failure(self, request):
        # Leaving a page aborts its pending requests (a preview, the icon).
        if request.failure != "net::ERR_ABORTED":
            self.errors.append((self.page.url, request.url))

    def note_request(self, request):
        if urlsplit(request.url).hostname not in {"127.0.0.1", None}:
            self.errors.append((self.page.url, f"a request to {request.url}"))

    def open(self, path):
        assert self.page.goto(self.url + path).status == 200

    def press(self, text, within="#main, .login"):
        """Press a button or follow a link, and wait for the next page."""
        with self.page.expect_navigation():
            place = self.page.locator(within)
            place.locator(f":is(button, a):has-text('{text}') >> visible=true").first.click()

    def text(self):
        return self.page.inner_text("#main")


@contextmanager
def visit(visitor, server, size, **options):
    """A `visitor` of the server, with a screen of SIZES; a phone is touched."""
    width, height = SIZES[size]
    options |= {"is_mobile": "phone" in size, "has_touch": "phone" in size}
    playwright = pytest.importorskip("playwright.sync_api")
    # Playwright runs an event loop in this thread, in which Django refuses to use the database. The
    # variable is gone with it: a server that another test shares must not have it.
    allowed = patch.dict(os.environ, DJANGO_ALLOW_ASYNC_UNSAFE="1")
    with allowed, playwright.sync_playwright() as player:
        browser = player.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        yield visitor(context.new_page(), server)
        browser.close()
        # Playwright's event loop opened its own database connection.
        connection.close()
