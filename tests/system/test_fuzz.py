"""No input breaks it: generated and mutated requests to real servers, sent as raw bytes."""

import os
import random
import secrets
import time
from collections import Counter

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.configuration import set_hypothesis_home_dir

from demo.postgres import CHECKOUT
from tests.system.generated import requests
from tests.system.mcp_messages import valid_message
from tests.system.mutations import mutated
from tests.system.operations import CURSOR, OPERATIONS, populate, valid_request
from tests.system.scale import scale
from tests.system.wire import Unsound, Wire, shown

GENERATED = scale(short=200, long=2_000)
MUTATED = scale(short=600, long=20_000)
MESSAGES = scale(short=300, long=5_000)
# The suite sends the same requests each time; at full length each run tries others. What a run
# sent is sent again with FUZZ_SEED, but for the tokens in it.
SEED = int(os.environ.get("FUZZ_SEED") or scale(short=1, long=secrets.randbelow(10**9)))
MAX_FAILURES = 10
LIMITS = {
    f"RATE_LIMIT_{policy}": "1000000/h"
    for policy in ("INSTALL", "REVIEW", "CONFIRM_CLAIM", "REGISTER")
}

set_hypothesis_home_dir(CHECKOUT / ".demo" / "hypothesis")


class Fuzz:
    """Sends cases, counts the answers, and keeps what a failure needs to be repeated."""

    def __init__(self, server, placeholders):
        self.server = server
        self.wire = Wire(server.port)
        self.placeholders = placeholders
        self.cases = 0
        self.statuses = Counter()
        self.started = time.monotonic()

    def send(self, data):
        self.cases += 1
        try:
            answers = self.wire.send(data)
        except Unsound as error:
            self.wire.close()
            self.statuses["unsound"] += 1
            raise Unsound(f"{error}\n  sent: {shown(data)}") from None
        for answer in answers:
            self.statuses[f"{answer.status // 100}xx"] += 1
        self.statuses["no answer"] += not answers
        return answers

    def assert_the_server_is_unbroken(self):
        answer = self.server.request("GET", "/readyz")
        assert (answer.status, answer.json()) == (200, {"status": "ok"})
        log = self.server.log.read_text()
        assert "Traceback" not in log, log[log.index("Traceback") - 500 :][:4000]
        assert log.count("Booting worker") == 2, "a worker died"
        call_command("recount")  # exits where a counter differs from its rows

    def report(self, name):
        counts = ", ".join(
            f"{key} {count}" for key, count in sorted(self.statuses.items()) if count
        )
        seconds = time.monotonic() - self.started
        print(  # noqa: T201
            f"\n{name}: {self.cases} cases, seed {SEED}: {counts}; "
            f"{self.wire.connections} connections; {seconds:.0f} s"
        )


@pytest.fixture
def fuzz(live_server_of):
    server = live_server_of(**LIMITS)
    placeholders = populate()
    first_page = server.request("GET", "/api/v1/skills?limit=1").json()
    placeholders[CURSOR] = first_page["next"].partition("cursor=")[2].partition("&")[0]
    fuzz = Fuzz(server, placeholders)
    yield fuzz
    fuzz.wire.close()


def assert_every_operation_accepts_its_valid_requests(fuzz, rng):
    """What is mutated then is more than what a first check refuses."""
    for operation in OPERATIONS:
        statuses = {
            answer.status
            for _ in range(20)
            for answer in fuzz.send(valid_request(rng, operation).raw(fuzz.placeholders))
        }
        assert statuses & {200, 201}, (operation, statuses)
        assert statuses <= {200, 201, 400, 402, 409}, (operation, statuses)


def test_no_generated_request_breaks_it(fuzz):
    @seed(SEED)
    @settings(
        max_examples=GENERATED,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(requests())
    def send(request):
        fuzz.send(request.raw(fuzz.placeholders))

    try:
        send()
    finally:
        fuzz.report("generated requests")
    fuzz.assert_the_server_is_unbroken()


def assert_no_mutation_breaks_it(fuzz, name, cases, valid):
    """Send so many mutations of what `valid()` makes."""
    rng = random.Random(SEED)
    failures = []
    for _ in range(cases):
        first, second = (valid(rng).raw(fuzz.placeholders) for _ in range(2))
        try:
            fuzz.send(mutated(rng, first, second))
        except Unsound as error:
            failures.append(str(error))
            if len(failures) == MAX_FAILURES:
                break
    fuzz.report(name)
    assert not failures, "\n".join(failures)
    fuzz.assert_the_server_is_unbroken()


def test_no_mutated_request_breaks_it(fuzz):
    assert_every_operation_accepts_its_valid_requests(fuzz, random.Random(SEED))

    def valid(rng):
        return valid_request(rng, rng.choice(OPERATIONS))

    assert_no_mutation_breaks_it(fuzz, "mutated requests", MUTATED, valid)


def test_no_mutated_message_of_mcp_breaks_it(fuzz):
    rng = random.Random(SEED)
    answers = [a for _ in range(50) for a in fuzz.send(valid_message(rng).raw(fuzz.placeholders))]
    assert {answer.status for answer in answers} == {200, 202}

    assert_no_mutation_breaks_it(fuzz, "mutated messages of MCP", MESSAGES, valid_message)
