"""The authorization server, by the official conformance suite (contract 35)"""

import json
import re

import pytest

from tests.chromium import Visitor, needs_chromium, visit
from tests.connections.real_clients import Program, consent
from tests.external import npm_program
from tests.factories import AgentFactory, claim
from tests.interfaces.test_mcp_skills_clients import CONFORMANCE
from tests.live import free_port

pytestmark = [pytest.mark.external, needs_chromium]
# Client ID metadata documents are not offered: the server would fetch what a stranger names.
WARNINGS = {"authorization-server-metadata-cimd"}


@pytest.mark.contract("35.2", "35.4")
def test_the_official_suite_has_no_complaint(live_server_of, tmp_path, pytestconfig):
    key = claim(AgentFactory())
    server, port = live_server_of(OAUTH="true"), free_port()
    issuer = f"http://127.0.0.1:{server.port}"
    about = {"client_name": "Suite", "redirect_uris": [f"http://127.0.0.1:{port}/callback"]}
    registered = server.request("POST", "/oauth/register", about).json()
    suite = [*npm_program(pytestconfig, CONFORMANCE, "conformance"), "authorization"]
    options = ["--client-id", registered["client_id"], "--resource", f"{issuer}/mcp/oauth"]
    options += ["--port", port, "--output-dir", tmp_path]

    program = Program(tmp_path, *suite, "--url", issuer, *options)
    try:
        address = program.next(lambda line: re.match(rf"{issuer}\S+", line))[0]
        with visit(Visitor, server, "desktop") as visitor:
            consent(visitor, address, key)
        program.process.wait(60)
    finally:
        program.stop()

    checks = [
        check
        for report in tmp_path.glob("**/checks.json")
        for check in json.loads(report.read_text())
    ]
    assert {check["id"] for check in checks if check["status"] == "WARNING"} == WARNINGS
    passed = {check["id"] for check in checks if check["status"] == "SUCCESS"}
    assert passed == {"authorization-server-metadata", "authorization-code-grant"}
    assert len(checks) == len(passed) + len(WARNINGS)
