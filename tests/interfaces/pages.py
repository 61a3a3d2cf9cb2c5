"""What a page of the website shows."""

import re
from html import unescape


def text_of(page, status=200):
    assert page.status_code == status, page.content
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert status < 400 or page.headers["Cache-Control"] == "no-store"
    return page.content.decode()


def visible(page, status=200):
    """What a person reads: without markup, on one line."""
    body = text_of(page, status).partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def links(page, status=200):
    return [unescape(link) for link in re.findall(r'<a [^>]*href="([^"]*)"', text_of(page, status))]


def entries(page):
    """The slugs of the entries that a list shows, in its order."""
    return re.findall(r'<h3><a href="/(?:skills|personas)/([a-z0-9-]+)">', text_of(page))
