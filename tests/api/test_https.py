"""Requests over plain HTTP, and the proxies in front."""

import pytest

from tests.api.test_errors import assert_error
from tests.factories import SkillFactory

SKILLS = "/api/v1/skills"
SKILL = "/api/v1/skills/pdf-tables"


@pytest.mark.contract("24.5")
def test_a_response_cached_over_https_is_refused_over_http(anyone, settings):
    settings.REQUIRE_HTTPS = True
    SkillFactory(slug="pdf-tables")

    for secure, status in ((True, 200), (True, 200), (False, 403)):
        assert anyone.get(SKILL, secure=secure).status_code == status
    assert_error(anyone.get(SKILL), 403, "HTTPS is required")


NO_HEADER = (
    "A request got 403 HTTPS is required or a redirect, because it has no X-Forwarded-Proto: have "
    "the proxy in front set that header, for example to $scheme in nginx."
)
PLAIN_CLIENT = (
    "A request got 403 HTTPS is required: its X-Forwarded-Proto is not https, so the client used "
    "http://."
)
NO_PROXY = (
    "A request got 403 HTTPS is required or a redirect, because it came over plain HTTP without "
    "X-Forwarded-Proto: https. Put a proxy that ends TLS in front, or set REQUIRE_HTTPS=false "
    "where only your own machine or network reaches the server."
)
WARNING = "set TRUSTED_PROXY_COUNT to the number of proxies in front"


@pytest.mark.parametrize("first", [SKILLS, "/skills", "/admin/"])
def test_an_untrusted_proxy_is_logged_once(anyone, settings, caplog, first):
    settings.REQUIRE_HTTPS = True
    forwarded = {"X-Forwarded-Proto": "https"}

    for headers in ({}, {"X-Forwarded-Proto": "http"}):
        assert_error(anyone.get(SKILLS, headers=headers), 403, "HTTPS is required")
    assert WARNING not in caplog.text
    assert anyone.get(first, headers=forwarded).status_code in {301, 403}
    assert WARNING in caplog.text
    assert_error(anyone.get(SKILLS, headers=forwarded), 403, "HTTPS is required")
    assert [record.levelname for record in caplog.records if WARNING in record.message] == [
        "WARNING"
    ]


@pytest.mark.contract("24.5")
@pytest.mark.parametrize(
    ("headers", "line"),
    [({}, NO_HEADER), ({"X-Forwarded-Proto": "http"}, PLAIN_CLIENT)],
    ids=["none", "http"],
)
def test_the_log_says_once_which_header_is_missing(anyone, behind_a_proxy, caplog, headers, line):
    for _ in range(3):
        assert_error(anyone.get(SKILLS, headers=headers), 403, "HTTPS is required")

    assert caplog.messages == [line]


def test_the_log_says_that_there_is_no_proxy(anyone, settings, caplog):
    settings.REQUIRE_HTTPS = True

    assert_error(anyone.get(SKILLS), 403, "HTTPS is required")

    assert caplog.messages == [NO_PROXY]


def test_a_browser_that_begins_with_http_is_not_logged(anyone, behind_a_proxy, caplog):
    response = anyone.get("/skills", headers={"X-Forwarded-Proto": "http"})

    assert (response.status_code, response["Location"]) == (301, "https://testserver/skills")
    assert caplog.text == ""


@pytest.fixture
def behind_a_proxy(settings):
    settings.REQUIRE_HTTPS = True
    settings.TRUSTED_PROXY_COUNT = 1
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")


def test_a_trusted_proxy_is_not_logged(anyone, behind_a_proxy, caplog):
    headers = {"Host": "testserver", "X-Forwarded-Proto": "https"}

    assert anyone.get(SKILLS, headers=headers).status_code == 200
    assert caplog.text == ""
