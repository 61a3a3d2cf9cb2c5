"""Agents at work on threads, who write down what each request came to and what was promised."""

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
# What a client sees of a server whose process died or is not there; a time-out is none of them.
NO_ANSWER = {
    "BrokenPipeError",  # it died before the whole request was sent
    "ConnectionRefusedError",
    "ConnectionResetError",
    "IncompleteRead",  # it died between the head and the body
    "RemoteDisconnected",
}
PAUSE = 0.1  # seconds before the same request again; an agent would wait for Retry-After


@dataclass(frozen=True)
class Outcome:
    """What one request came to: a status, or the name of the error that the client raised."""

    begun: float
    ended: float
    result: int | str


class Promises:
    """What the database has to hold: all that was acknowledged, and nothing that cannot be."""

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


class Load:
    """As a context manager: `threads` agents register, install and review until it is left.

    A request that gets 503 or no answer is repeated until it gets one; only then may an install
    be in conflict with the agent's own lost one. Everything else is kept in `surprises`.
    """

    def __init__(self, server, promises, *, threads, skills, personas):
        self.server, self.promises = server, promises
        self.skills, self.personas = skills, personas
        self.pool = ThreadPoolExecutor(threads)
        self.threads = threads
        self.stopped = threading.Event()
        self.outcomes, self.surprises, self.lost_answers = [], [], []

    def __enter__(self):
        self.working = [self.pool.submit(self.work) for _ in range(self.threads)]
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.pool.shutdown()
        for thread in self.working:
            thread.result()

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
                    self.promises.skills.add((handle, skill))
                if self.install("personas", token, {"slug": persona, "setActive": True}):
                    self.promises.personas.add((handle, persona))
                    self.review(handle, token, persona)
                    self.review(handle, token, persona)

    def register(self):
        answer, _ = self.send(REGISTER, {"name": "Durable"}, expected={201})
        if answer is None:
            return None, None
        agent = answer.json()
        self.promises.agents.add((agent["agentId"], agent["handle"]))
        self.promises.tokens.add((hashlib.sha256(agent["token"].encode()).hexdigest(),))
        return agent["handle"], agent["token"]

    def install(self, kind, token, body):
        """Whether the agent has it for certain: a conflict with its own lost install counts."""
        answer, is_repeated = self.send(
            f"{ME}/{kind}/install", body, token, expected={201}, if_repeated={201, 409}
        )
        if answer is not None and is_repeated and answer.status == 409:
            self.lost_answers.append(body)
        return answer is not None

    def review(self, handle, token, persona):
        possible = self.promises.reviews[handle, persona]
        is_new = possible == {None}
        review = (random.randint(100, 500), f"Review {random.getrandbits(64):x}")
        possible.add(review)
        body = {"personaSlug": persona, "rating": review[0] / 100, "comment": review[1]}
        answer, _ = self.send(
            f"{ME}/reviews",
            body,
            token,
            expected={201} if is_new else {200},
            if_repeated={200, 201} if is_new else {200},
        )
        if answer is not None:
            self.promises.reviews[handle, persona] = {review}

    def send(self, path, body, token=None, *, expected, if_repeated=None):
        """The expected answer, or None where there is none; and if it was repeated."""
        is_repeated = False
        while not self.stopped.is_set():
            answer = self.try_once(path, body, token)
            if answer is not None and answer.status != 503:
                if answer.status in (expected if not is_repeated else if_repeated or expected):
                    return answer, is_repeated
                self.surprises.append(f"{path} {body}: {answer.status} {answer.body[:200]}")
                return None, is_repeated
            is_repeated = True
            time.sleep(PAUSE)
        return None, is_repeated

    def try_once(self, path, body, token):
        begun = time.monotonic()
        answer = None
        try:
            answer = self.server.request("POST", path, body, token=token)
        except (OSError, HTTPException) as error:
            result = type(error).__name__
            if result not in NO_ANSWER:
                self.surprises.append(f"{path} {body}: {error!r}")
        else:
            result = answer.status
            if result == 503 and not is_polite(answer):
                self.surprises.append(f"{path} {body}: {answer}")
        self.outcomes.append(Outcome(begun, time.monotonic(), result))
        return answer

    def results(self):
        """How often each status and each error came up."""
        return Counter(outcome.result for outcome in self.outcomes)

    def unanswered(self):
        return sum(result in NO_ANSWER for result in map(attrgetter("result"), self.outcomes))

    def first_success_after(self, moment):
        """When the first request succeeded after that; infinity where none has."""
        return min(
            (
                outcome.ended
                for outcome in self.outcomes.copy()
                if outcome.ended >= moment and outcome.result in {200, 201}
            ),
            default=float("inf"),
        )


def is_polite(answer):
    """Whether a 503 is one that an agent can work with: JSON, and when to come back."""
    return (
        answer.headers["Content-Type"] == "application/json"
        and [*answer.json()] == ["error"]
        and int(answer.headers["Retry-After"]) >= 1
    )
