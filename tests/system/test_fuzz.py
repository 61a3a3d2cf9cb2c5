"""No input breaks it: mutated requests to real servers, sent as raw bytes."""

import os
import random
import secrets
import time
from collections import Counter

import pytest
from django.core.management import call_command

from interfaces.mcp.tools_list import TOOLS
from tests.system import console_forms
from tests.system.mcp_messages import CALLS, valid_message
from tests.system.mutations import mutated
from tests.system.operations import CURSOR, OPERATIONS, SINCE, populate, valid_request
from tests.system.races import LIMITS
from tests.system.raw_client import InvalidResponse, RawClient, short_repr
from tests.system.scale import scale

pytestmark = pytest.mark.slow
MUTATED = scale(short=600, long=20_000)
MESSAGES = scale(short=300, long=5_000)
FORMS = scale(short=300, long=5_000)
# The suite is deterministic; the full length draws a new seed each time, or takes FUZZ_SEED.
SEED = int(os.environ.get("FUZZ_SEED") or scale(short=1, long=secrets.randbelow(10**9)))
MAX_FAILURES = 10


class Fuzz:
    """Sends cases and counts the responses."""

    def __init__(self, server, placeholders):
        self.server = server
        self.client = RawClient(server.port)
        self.placeholders = placeholders
        self.cases = 0
        self.statuses = Counter()
        self.started = time.monotonic()

    def send(self, data):
        self.cases += 1
        try:
            responses = self.client.send(data)
        except InvalidResponse as error:
            self.client.close()
            self.statuses["invalid"] += 1
            raise InvalidResponse(f"{error}\n  sent: {short_repr(data)}") from None
        for response in responses:
            self.statuses[f"{response.status // 100}xx"] += 1
        self.statuses["no response"] += not responses
        return responses

    def assert_the_server_is_intact(self):
        response = self.server.request("GET", "/readyz")
        assert (response.status, response.json()) == (200, {"status": "ok"})
        log = self.server.log.read_text()
        assert "Traceback" not in log, log[log.index("Traceback") - 500 :][:4000]
        assert log.count("Booting worker") == 2, "a worker died"
        call_command("recount")  # exits if a counter differs from its rows

    def report(self, name):
        counts = ", ".join(
            f"{key} {count}" for key, count in sorted(self.statuses.items()) if count
        )
        seconds = time.monotonic() - self.started
        print(  # noqa: T201
            f"\n{name}: {self.cases} cases, seed {SEED}: {counts}; "
            f"{self.client.connections} connections; {seconds:.0f} s"
        )


@pytest.fixture
def fuzz(live_server_of):
    server = live_server_of(**LIMITS)
    placeholders = populate()
    first_page = server.request("GET", "/api/v1/skills?limit=1").json()
    placeholders[CURSOR] = first_page["next"].partition("cursor=")[2].partition("&")[0]
    placeholders[SINCE] = server.request("GET", "/api/v1/changes?limit=1").json()["cursor"]
    fuzz = Fuzz(server, placeholders)
    yield fuzz
    fuzz.client.close()


def assert_every_operation_accepts_its_valid_requests(fuzz, rng):
    """Mutations of these reach further than the first check."""
    for operation in OPERATIONS:
        statuses = set()
        for number in range(100):
            responses = fuzz.send(valid_request(rng, operation).raw(fuzz.placeholders))
            statuses |= {response.status for response in responses}
            if number > 10 and statuses & {200, 201}:
                break
        # No issuer of tokens is there.
        accepted = {401} if operation.path.endswith("/tokens/exchange") else {200, 201}
        assert statuses & accepted, (operation, statuses)
        # 403 is for an invalid invitation.
        assert statuses <= {200, 201, 400, 401, 402, 403, 404, 409}, (operation, statuses)


def assert_no_mutation_breaks_it(fuzz, name, cases, valid):
    """Send mutations of requests from `valid()`."""
    rng = random.Random(SEED)
    failures = []
    for _ in range(cases):
        first, second = (valid(rng).raw(fuzz.placeholders) for _ in range(2))
        try:
            fuzz.send(mutated(rng, first, second))
        except InvalidResponse as error:
            failures.append(str(error))
            if len(failures) == MAX_FAILURES:
                break
    fuzz.report(name)
    assert not failures, "\n".join(failures)
    fuzz.assert_the_server_is_intact()


def test_no_mutated_request_breaks_it(fuzz):
    assert_every_operation_accepts_its_valid_requests(fuzz, random.Random(SEED))

    def valid(rng):
        return valid_request(rng, rng.choice(OPERATIONS))

    assert_no_mutation_breaks_it(fuzz, "mutated requests", MUTATED, valid)


def test_the_messages_of_mcp_call_every_tool():
    assert CALLS.keys() == TOOLS.keys()


def test_no_mutated_message_of_mcp_breaks_it(fuzz):
    rng = random.Random(SEED)
    responses = [a for _ in range(50) for a in fuzz.send(valid_message(rng).raw(fuzz.placeholders))]
    # Few of them are notifications, which get a 202. Others come with a token that an earlier one
    # has ended, or without the handshake that their method belongs to.
    assert {200} <= {response.status for response in responses} <= {200, 202, 401, 404}

    assert_no_mutation_breaks_it(fuzz, "mutated messages of MCP", MESSAGES, valid_message)


def test_no_mutated_form_of_the_console_breaks_it(fuzz):
    fuzz.placeholders |= console_forms.populate(fuzz.server)
    rng = random.Random(SEED)
    valid = [console_forms.valid_form(rng).raw(fuzz.placeholders) for _ in range(100)]
    statuses = {response.status for data in valid for response in fuzz.send(data)}
    assert {200, 302, 400} <= statuses <= {200, 302, 400, 404, 405}

    assert_no_mutation_breaks_it(fuzz, "mutated forms", FORMS, console_forms.valid_form)
