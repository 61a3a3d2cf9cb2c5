"""/skill.md and /llms.txt are pages in a browser, and texts for everyone else."""

import re

import pytest

from infrastructure.http_cache.store import cached_responses
from tests.interfaces.pages import links, text_of, visible

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
GUIDES = {"/skill.md": "text/markdown", "/guide.md": "text/markdown", "/llms.txt": "text/plain"}


def get(client, path, accept):
    return client.get(path, headers={"Accept": accept})


@pytest.mark.parametrize(("path", "media_type"), GUIDES.items())
@pytest.mark.parametrize(
    ("accept", "is_page"),
    [
        (BROWSER, True),
        ("text/html", True),
        ("TEXT/HTML, */*;q=0.1", True),
        ("text/html;q=0.2, application/json", True),
        ("*/*", False),
        ("", False),
        ("text/*", False),
        ("text/html;q=0.5, */*", False),
        ("text/html;q=0, */*;q=0.1", False),
        ("text/html;q=0", False),
        ("text/markdown, text/plain, text/html, */*", False),
        ("text/html;q=0.9, text/markdown, text/plain", False),
        ("application/json", False),
        ("nonsense;q=x, ;;,", False),
    ],
)
def test_only_who_prefers_html_gets_a_page(anyone, path, media_type, accept, is_page):
    response = get(anyone, path, accept)

    assert response.status_code == 200
    expected = "text/html" if is_page else media_type
    assert response.headers["Content-Type"] == f"{expected}; charset=utf-8"
    assert response.content.startswith(b"<!doctype html>") == is_page


@pytest.mark.parametrize(("path", "media_type"), GUIDES.items())
def test_the_raw_text_is_there_for_everyone(anyone, path, media_type):
    text = anyone.get(path).content
    raw = get(anyone, f"{path}?raw", BROWSER)

    assert (raw.status_code, raw.content) == (200, text)
    assert raw.headers["Content-Type"] == f"{media_type}; charset=utf-8"
    assert "Vary" not in raw.headers
    assert f"{path}?raw" in links(get(anyone, path, BROWSER))


def test_the_page_shows_what_the_text_says(anyone):
    page = get(anyone, "/skill.md", BROWSER)

    assert "Agent marketplace Get skills" in visible(page)
    assert "umask 077" in visible(page)
    assert "name: agent-marketplace" not in text_of(page)
    assert "The preview ends here" not in text_of(page)
    assert "When a request is refused" in visible(page)
    assert "style-src 'self'" in page.headers["Content-Security-Policy"]
    assert not re.search(r"<style|style=|\son\w+=", text_of(page))


def test_it_is_shown_whole_however_long_the_hosts_name_is(anyone, settings):
    settings.ALLOWED_HOSTS = [host := f"{'agents.' * 34}example.com"]
    page = anyone.get("/guide.md", headers={"Accept": BROWSER, "Host": host})

    assert "The preview ends here" not in text_of(page)
    assert "With curl, --retry 2 waits for" in visible(page)


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("staff@example.com", "mailto:staff@example.com"),
        ("https://example.com/help", "https://example.com/help"),
    ],
)
def test_a_deployer_says_where_the_staff_are(anyone, settings, contact, link):
    assert "Contact the staff" not in text_of(anyone.get("/operator"))
    assert "The staff of this marketplace" not in anyone.get("/guide.md").content.decode()

    settings.STAFF_CONTACT = contact

    for path in ("/operator", "/skills/no-such"):
        assert f'<a href="{link}">Contact the staff</a>' in anyone.get(path).content.decode()
    assert f"can: {contact}." in anyone.get("/guide.md").content.decode()


@pytest.mark.parametrize("path", GUIDES)
@pytest.mark.parametrize("seconds", [0, 60])
def test_no_cache_mixes_page_and_text(anyone, settings, path, seconds):
    settings.EDGE_SECONDS = seconds
    page, text = get(anyone, path, BROWSER), get(anyone, path, "*/*")
    again = get(anyone, path, BROWSER)

    assert page.content == again.content != text.content
    assert not cached_responses
    for response in (page, text):
        # An edge that ignores Vary asks with the ETag of what it has, which is of one of the two.
        assert response.headers["Cache-Control"] == "no-cache"
        assert response.headers["Vary"] == "Accept"
    assert page.headers["ETag"] != text.headers["ETag"]
    validated = {"Accept": BROWSER, "If-None-Match": text.headers["ETag"]}
    assert anyone.get(path, headers=validated).content == page.content
    validated["If-None-Match"] = page.headers["ETag"]
    fresh = anyone.get(path, headers=validated)
    assert (fresh.status_code, fresh.content, fresh.headers["Vary"]) == (304, b"", "Accept")


@pytest.mark.parametrize("path", GUIDES)
def test_a_browser_gets_errors_in_json_as_before(anyone, path):
    response = anyone.post(path, headers={"Accept": BROWSER})

    assert response.status_code == 405
    assert response.json() == {"error": "Method POST is not allowed here; use GET, HEAD"}
