"""The messages to a deployer (contract 35.1)"""

import pytest
from django.core.checks import ERROR

from marketplace import doctor
from marketplace.checks import deployment_is_safe

pytestmark = pytest.mark.contract("35.1")
IN_THE_CLEAR = "OAUTH is true, and REQUIRE_HTTPS is false: codes and tokens travel in the clear."


def errors():
    return [message.msg for message in deployment_is_safe() if message.level >= ERROR]


def test_plain_http_beyond_this_machine_is_an_error(settings):
    settings.REQUIRE_HTTPS = False
    for hosts, url, oauth, is_error in (
        (["skills.example.com"], "", True, True),
        (["*"], "", True, True),
        (["localhost", "127.0.0.1", "[::1]"], "", True, False),
        (["localhost"], "http://skills.example.com", True, True),
        (["localhost"], "http://localhost:8000", True, False),
        (["skills.example.com"], "", False, False),
    ):
        settings.ALLOWED_HOSTS, settings.PUBLIC_URL, settings.OAUTH = hosts, url, oauth
        assert errors() == ([IN_THE_CLEAR] if is_error else []), hosts
    settings.REQUIRE_HTTPS, settings.OAUTH = True, True
    assert errors() == []


def test_without_https_no_token_is_answered(anyone, settings):
    settings.REQUIRE_HTTPS = True
    for path in ("/oauth/token", "/oauth/register", "/oauth/revoke", "/mcp/oauth"):
        sent = anyone.post(path, {})
        assert (sent.status_code, sent.json()) == (403, {"error": "HTTPS is required"})


def test_doctor_wants_the_public_address(settings):
    with pytest.raises(doctor.Problem, match=r"OAUTH is true: set PUBLIC_URL"):
        doctor.connectors()

    settings.PUBLIC_URL = "https://skills.example.com"
    assert doctor.connectors() == "Clients sign in at https://skills.example.com/mcp/oauth."

    settings.OAUTH = False
    assert doctor.connectors() is None
