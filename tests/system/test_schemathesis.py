"""Schemathesis makes valid and invalid requests from the OpenAPI document and its examples.

No response is 500 or above, and each matches the document: status, headers, type and body.
"""

import re

import pytest

from tests.external import fetched, run
from tests.factories import (
    AgentFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.system.operations import OPERATIONS, populate
from tests.system.scale import scale
from tests.system.test_fuzz import LIMITS, SEED

EXAMPLES = scale(short=5, long=200)  # random ones per operation
OPTIONS = [
    f"--max-examples={EXAMPLES}",
    f"--phases=examples,fuzzing{scale(short='', long=',coverage,stateful')}",
    f"--seed={SEED}",
    "--generation-database=none",
    "--checks=all",
    # No schema says which cursors exist, or that two names mean one parameter.
    "--exclude-checks=positive_data_acceptance,negative_data_rejection",
    # It would end the token of all other requests.
    "--exclude-operation-id=rotate_token",
    "--warnings=off",
    "--no-color",
]


@pytest.mark.external
def test_every_response_is_as_described(live_server_of, tmp_path):
    schemathesis = fetched("schemathesis==4.32.5", tmp_path)
    populate()
    server = live_server_of(**LIMITS)
    agent = AgentFactory()
    SkillFactory(slug="pdf-tables")
    # The examples of an agent's own installs.
    SkillInstallFactory(agent=agent, skill__slug="archivist")
    PersonaInstallFactory(agent=agent, persona__slug="archivist")
    token = f"--header=Authorization: Bearer {agent.token.text}"
    document = f"http://127.0.0.1:{server.port}/api/v1/openapi.json"

    report = run(tmp_path, *schemathesis, "schemathesis", "run", *OPTIONS, token, document)

    print(report)  # noqa: T201
    assert int(re.search(r"(\d+) generated", report)[1]) >= len(OPERATIONS) // 2 * EXAMPLES
    assert "Traceback" not in server.log.read_text()
