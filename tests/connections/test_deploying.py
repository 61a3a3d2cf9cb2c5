"""What a deployer is told (contract 35.1)"""

import pytest
from django.core.checks import run_checks

from marketplace import doctor

pytestmark = pytest.mark.contract("35.1")


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
        errors = [one.msg for one in run_checks(include_deployment_checks=True) if one.level >= 40]
        text = "OAUTH is true, and REQUIRE_HTTPS is false: codes and tokens travel in the clear."
        assert (text in errors) == is_error, hosts
    settings.REQUIRE_HTTPS, settings.OAUTH = True, True
    assert not [one for one in run_checks(include_deployment_checks=True) if one.level >= 40]


def test_doctor_wants_the_public_address(settings):
    with pytest.raises(doctor.Problem, match=r"OAUTH is true: set PUBLIC_URL"):
        doctor.connectors()

    settings.PUBLIC_URL = "https://skills.example.com"
    assert doctor.connectors() == "Clients sign in at https://skills.example.com/mcp/oauth."

    settings.OAUTH = False
    assert doctor.connectors() is None
