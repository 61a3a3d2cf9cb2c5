"""A superuser's browser on a live server, which can open every page that the admin links to."""

from html.parser import HTMLParser
from http.cookies import SimpleCookie
from types import SimpleNamespace
from urllib.parse import urlencode, urljoin, urlsplit

from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.browser import untouched_form


class Browser:
    """Keeps cookies, follows no redirect, sends forms with their CSRF token."""

    def __init__(self, server, headers=None):
        self.server = server
        self.headers = headers or {}
        self.cookies = {}
        self.pages = {}  # path -> its last response

    def get(self, path):
        return self.keep(path, self.server.request("GET", path, headers=self.with_cookies()))

    def post(self, path, fields, content_type="application/x-www-form-urlencoded"):
        """Fields are encoded as a browser does it; bytes are sent as they are."""
        body = fields if isinstance(fields, bytes) else urlencode(fields, doseq=True).encode()
        headers = self.with_cookies() | {"Content-Type": content_type}
        return self.keep(path, self.server.request("POST", path, body, headers=headers))

    def submit(self, path, **fields):
        """Open a page, fill in its form and send it."""
        return self.post(path, self.form(self.get(path)) | fields)

    def shown_once(self, led):
        """The page to which this response leads, of which nothing is kept: it shows a secret."""
        page = self.get(led.headers["Location"])
        del self.pages[led.headers["Location"]], self.cookies["shown-once"]
        return page

    def form(self, page):
        return untouched_form(SimpleNamespace(content=page.body))

    def with_cookies(self):
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return self.headers | ({"Cookie": cookies} if cookies else {})

    def keep(self, path, response):
        for line in response.headers.get_all("Set-Cookie") or []:
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
        self.pages[path] = response
        return response


class Staff(Browser):
    """A superuser's signed-in browser. The live server finds the user in the tests' database."""

    def __init__(self, server, headers=None):
        super().__init__(server, headers)
        client = Client()
        client.force_login(User.objects.create_superuser("staff", password="right-password"))
        self.cookies = {name: morsel.value for name, morsel in client.cookies.items()}

    def open_everything(self, *searches):
        """`{path: response}` of each page reachable from the index, and of each search.

        Links are followed without their query, which only skips other sortings.
        """
        lists = [
            reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
            for model in admin.site._registry
        ]
        waiting = ["/admin/", *lists]
        waiting += [f"{path}?{urlencode({'q': text})}" for path in lists for text in searches]
        opened = {}
        while waiting:
            path = waiting.pop()
            if path not in opened and "logout" not in path:
                opened[path] = self.get(path)
                waiting += links_in(path, opened[path])
        return opened


class LinkReader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.targets = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.targets += [value for name, value in attributes if name == "href" and value]


def links_in(path, page):
    """The admin's pages that this page links to, without their queries."""
    if not page.headers.get("Content-Type", "").startswith("text/html"):
        return []
    reader = LinkReader()
    reader.feed(page.body.decode())
    paths = {urlsplit(urljoin(path, target)).path for target in reader.targets}
    return sorted(link for link in paths if link.startswith("/admin/"))
