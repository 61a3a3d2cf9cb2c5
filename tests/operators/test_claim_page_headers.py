"""What the claim page says to browsers: its headers, its policy, its links (contract 7)."""

import re

from tests.operators.claiming import CONFIRM, code_in, submit


def test_no_page_is_cached_framed_or_named_to_others(operator, client, url):
    pages = [operator.get(url), submit(operator, url, email="no"), submit(operator, url)]
    client.post(CONFIRM, {"code": code_in(pages[-1])})
    pages.append(operator.get(url))

    for page in pages:
        assert "no-store" in page.headers["Cache-Control"]
        assert page.headers["Referrer-Policy"] == "strict-origin"
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        policy = page.headers["Content-Security-Policy"]
        for rule in ("default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"):
            assert rule in policy


def test_the_page_needs_nothing_that_its_policy_forbids(operator, url):
    text = operator.get(url).content.decode()

    loaded = {*re.findall(r'<(?:link|img)[^>]* (?:src|href)="([^"]*)"', text)}
    files = {f"/static/{name}" for name in ("pages.css", "icon.svg", "inter.woff2")}
    assert loaded == {"/feed.atom", *files}
    assert not re.search(r"<script|<style|style=|\son\w+=|http-equiv|name=.referrer", text)
    style = operator.get("/static/pages.css")
    assert style.status_code == 200
    assert style.headers["Content-Type"].startswith("text/css")
    style.close()


def test_it_has_the_header_and_footer_of_the_site_and_no_link_with_its_secret(operator, agent, url):
    text = operator.get(url).content.decode()

    assert '<header class="top">' in text
    assert '<footer class="bottom">' in text
    assert agent.claim.secret not in text
