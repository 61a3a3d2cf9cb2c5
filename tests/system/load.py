"""Agents on threads, which record the outcome of each request and what was acknowledged."""

import hashlib
import random
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPException
from operator import attrgetter

ME = "/api/v1/agents/me"
REGISTER = "/api/v1/agents/register"
# What a client sees of a server that died or is not there; a timeout is not among them.
NO_RESPONSE = {
    "BrokenPipeError",  # it died before the whole request was sent
    "ConnectionRefusedError",
    "ConnectionResetError",
    "IncompleteRead",  # it died between the head and the body
    "RemoteDisconnected",
}
PAUSE = 0.1  # seconds before the same request again; an agent would wait for Retry-After


@dataclass(frozen=True)
class Outcome:
    """The outcome of one request: a status, or the name of the error that the client raised."""

    begun: float
    ended: float
    result: int | str


class Acknowledged:
    """What the database must hold: all that was acknowledged."""

    def __init__(self):
        self.agents = set()  # (agentId, handle)
        self.tokens = set()  # (digest,)
        self.skills = set()  # (handle, slug)
        self.personas = set()  # (handle, slug)
        # (handle, slug) -> the reviews that may be the stored one; None stands for no review. A
        # review that was sent and never answered may have been written.
        self.reviews = defaultdict(lambda: {None})

    def number(self):
        reviewed = sum(None not in possible for possible in self.reviews.values())
        return len(self.agents) + len(self.skills) + len(self.personas) + reviewed


class Workers:
    """As a context manager: calls `work` on threads, which ends once `stopped` is set."""

    def __init__(self, threads):
        self.threads, self.stopped = threads, threading.Event()

    def __enter__(self):
        self.pool = ThreadPoolExecutor(self.threads)
        self.working = [self.pool.submit(self.work) for _ in range(self.threads)]
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.pool.shutdown()
        for thread in self.working:
            thread.result()


class Load(Workers):
    """As a context manager: `threads` agents register, install and review until it is left.

    A request that gets 503 or no response is repeated until it gets one; only then may an install
    conflict with the agent's own earlier attempt. Whatever else happens is in `unexpected`.
    """

    def __init__(self, server, acknowledged, *, threads, skills, personas):
        self.server, self.acknowledged = server, acknowledged
        self.skills, self.personas = skills, personas
        super().__init__(threads)
        self.outcomes, self.unexpected, self.lost_responses = [], [], []

    def work(self):
        while not self.stopped.is_set():
            handle, token = self.register()
            if handle is None:
                return
            pairs = zip(
                random.sample(self.skills, len(self.personas)),
                random.sample(self.personas, len(self.personas)),
                strict=True,
            )
            for skill, persona in pairs:
                if self.stopped.is_set():
                    return
                if self.install("skills", token, {"slug": skill}):
                    self.acknowledged.skills.add((handle, skill))
                if self.install("personas", token, {"slug": persona, "setActive": True}):
                    self.acknowledged.personas.add((handle, persona))
                    self.review(handle, token, persona)
                    self.review(handle, token, persona)

    def register(self):
        response, _ = self.send(REGISTER, {"name": "Durable"}, expected={201})
        if response is None:
            return None, None
        agent = response.json()
        self.acknowledged.agents.add((agent["agentId"], agent["handle"]))
        self.acknowledged.tokens.add((hashlib.sha256(agent["token"].encode()).hexdigest(),))
        return agent["handle"], agent["token"]

    def install(self, kind, token, body):
        """Whether the agent has it for certain: a conflict with its own lost install counts."""
        response, is_repeated = self.send(
            f"{ME}/{kind}/install", body, token, expected={201}, if_repeated={201, 409}
        )
        if response is not None and is_repeated and response.status == 409:
            self.lost_responses.append(body)
        return response is not None

    def review(self, handle, token, persona):
        possible = self.acknowledged.reviews[handle, persona]
        is_new = possible == {None}
        review = (random.randint(100, 500), f"Review {random.getrandbits(64):x}")
        possible.add(review)
        body = {"personaSlug": persona, "rating": review[0] / 100, "comment": review[1]}
        response, _ = self.send(
            f"{ME}/reviews",
            body,
            token,
            expected={201} if is_new else {200},
            if_repeated={200, 201} if is_new else {200},
        )
        if response is not None:
            self.acknowledged.reviews[handle, persona] = {review}

    def send(self, path, body, token=None, *, expected, if_repeated=None):
        """The expected response or None, and whether the request was repeated."""
        is_repeated = False
        while not self.stopped.is_set():
            response = self.try_once(path, body, token)
            if response is not None and response.status != 503:
                if response.status in (expected if not is_repeated else if_repeated or expected):
                    return response, is_repeated
                self.unexpected.append(f"{path} {body}: {response.status} {response.body[:200]}")
                return None, is_repeated
            is_repeated = True
            time.sleep(PAUSE)
        return None, is_repeated

    def try_once(self, path, body, token):
        begun = time.monotonic()
        response = None
        try:
            response = self.server.request("POST", path, body, token=token)
        except (OSError, HTTPException) as error:
            result = type(error).__name__
            if result not in NO_RESPONSE:
                self.unexpected.append(f"{path} {body}: {error!r}")
        else:
            result = response.status
            if result == 503 and not is_retriable(response):
                self.unexpected.append(f"{path} {body}: {response}")
        self.outcomes.append(Outcome(begun, time.monotonic(), result))
        return response

    def results(self):
        """How often each status and each error came up."""
        return Counter(outcome.result for outcome in self.outcomes)

    def unanswered(self):
        return sum(result in NO_RESPONSE for result in map(attrgetter("result"), self.outcomes))

    def first_success_after(self, start):
        """The time of the first success after `start`; infinity where there is none."""
        return min(
            (
                outcome.ended
                for outcome in self.outcomes.copy()
                if outcome.ended >= start and outcome.result in {200, 201}
            ),
            default=float("inf"),
        )


def is_retriable(response):
    """Whether a 503 is JSON and says when to retry."""
    return (
        response.headers["Content-Type"] == "application/json"
        and [*response.json()] == ["error"]
        and int(response.headers["Retry-After"]) >= 1
    )
