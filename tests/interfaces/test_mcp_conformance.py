"""MCP without a handshake, by the official conformance suite"""

import json

import pytest

from tests.external import npm_program, tried
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.test_mcp_skills_clients import CONFORMANCE

pytestmark = pytest.mark.external
# The others need tools and resources of the suite's own example server.
SCENARIOS = [
    *("server-stateless", "http-header-validation", "caching", "sep-2164-resource-not-found"),
    *("tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"),
]
# What the suite says of a check that needs a tool of its own.
NOT_TESTABLE = "Not testable: server does not list the diagnostic tool"


@pytest.mark.contract("22.4")
def test_the_official_suite_has_no_complaint(
    live_server_of, tmp_path, transactional_db, pytestconfig
):
    SkillFactory(slug="pdf-tables")
    PersonaFactory(slug="archivist")
    conformance = npm_program(pytestconfig, CONFORMANCE, "conformance")
    url = f"http://127.0.0.1:{live_server_of().port}/mcp"
    suite = ["--suite", "all", "--spec-version", "2026-07-28", "--output-dir", tmp_path]

    tried(tmp_path, *conformance, "server", "--url", url, *suite)

    reports = [next(tmp_path.glob(f"server-{name}-2*/checks.json")) for name in SCENARIOS]
    assert [failure for report in reports for failure in failures(report)] == []


def failures(report):
    for check in json.loads(report.read_text()):
        message = check.get("errorMessage") or ""
        if check["status"] == "FAILURE" and not message.startswith(NOT_TESTABLE):
            yield check["id"]
