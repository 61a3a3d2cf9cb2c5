"""Agents on threads, which record each request's outcome and everything acknowledged."""

import hashlib
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from http.client import HTTPException
from operator import attrgetter

from tests.system.acknowledged import PRESENT
from tests.system.workers import Workers

ME = "/api/v1/agents/me"
REGISTER = "/api/v1/agents/register"
# The errors of a client whose server died or is down; a timeout is not one of them.
NO_RESPONSE = {
    "BrokenPipeError",  # it died before the whole request was sent
    "ConnectionRefusedError",
    "ConnectionResetError",
    "IncompleteRead",  # it died between the head and the body
    "RemoteDisconnected",
}
PAUSE = 0.1  # seconds before the same request again; an agent would wait for Retry-After


@dataclass(frozen=True)
class LoadOutcome:
    """The outcome of one request: a status, or the name of the error that the client raised."""

    begun: float
    ended: float
    result: int | str


@dataclass
class LoadAgent:
    handle: str
    token: str
    own: list = field(default_factory=list)  # pairs of a skill and a persona
    pins: set = field(default_factory=set)  # pairs of a kind and a slug
    active: str | None = None  # persona


class Load(Workers):
    """As a context manager: `threads` agents register, install, review, switch and leave.

    A request that gets 503 or no response is repeated until it gets one. Only then may it find that
    its earlier attempt was stored. Anything else is in `unexpected`.
    """

    def __init__(self, server, acknowledged, *, threads, skills, personas):
        self.server, self.acknowledged = server, acknowledged
        self.skills, self.personas = skills, personas
        super().__init__(threads)
        self.outcomes, self.unexpected, self.lost_responses = [], [], []
        self.updates = 0  # to another text

    def work(self):
        while not self.stopped.is_set():
            agent = self.register()
            if agent is None:
                return
            pairs = zip(
                random.sample(self.skills, len(self.personas)),
                random.sample(self.personas, len(self.personas)),
                strict=True,
            )
            for skill, persona in pairs:
                if self.stopped.is_set() or not self.live(agent, skill, persona):
                    break

    def live(self, agent, skill, persona):
        """Install one more of each, and change others; returns whether it still has a token."""
        self.install(agent, "skills", skill)
        self.install(agent, "personas", persona, setActive=True)
        self.review(agent, persona, is_new=True)
        self.review(agent, persona, is_new=False)
        self.report(agent, skill, is_new=True)
        self.report(agent, skill, is_new=False)
        agent.own.append((skill, persona))
        earlier = random.choice(agent.own)
        for kind, slug in zip(("skills", "personas"), earlier, strict=True):
            self.update(agent, kind, slug)
            random.choice([self.pin, self.unpin])(agent, kind, slug)
        self.activate(agent, earlier[1])
        if random.random() < 0.3:
            agent.own.remove(earlier)
            self.delete_review(agent, earlier[1])
            for kind, slug in zip(("skills", "personas"), earlier, strict=True):
                self.uninstall(agent, kind, slug)
        return random.random() < 0.7 or self.rotate(agent)

    def register(self):
        response, _ = self.send(REGISTER, {"name": "Durable"}, expected={201})
        if response is None:
            return None
        body = response.json()
        agent = LoadAgent(body["handle"], body["token"])
        self.acknowledged.answered(
            {("agent", agent.handle): body["agentId"], of_token(agent): "usable"}
        )
        return agent

    def install(self, agent, kind, slug, **options):
        values = {(kind, agent.handle, slug): PRESENT}
        if kind == "personas":
            agent.active = values["active", agent.handle] = slug
        body = {"slug": slug, **options}
        self.write(agent, f"{kind}/install", body, values, expected=201, if_repeated={409})

    def update(self, agent, kind, slug):
        """A pinned install stays pinned, to the newest version."""
        keys = [(kind, agent.handle, slug)]
        if (kind, slug) in agent.pins:
            keys.append(pin_of(agent, kind, slug))
        response = self.write(agent, f"{kind}/update", {"slug": slug}, dict.fromkeys(keys, PRESENT))
        if response is not None:
            updated = response.json()
            self.acknowledged.answered(dict.fromkeys(keys, updated["digest"]))
            self.updates += updated["digest"] != updated["previousDigest"]

    def pin(self, agent, kind, slug):
        """Pin the text that the agent uses, or the first one."""
        keys = [(kind, agent.handle, slug), pin_of(agent, kind, slug)]
        body = {"slug": slug} | random.choice([{}, {"version": 1}])
        response = self.write(agent, f"{kind}/pin", body, dict.fromkeys(keys, PRESENT))
        if response is not None:
            self.acknowledged.answered(dict.fromkeys(keys, response.json()["digest"]))
            agent.pins.add((kind, slug))

    def unpin(self, agent, kind, slug):
        self.write(agent, f"{kind}/unpin", {"slug": slug}, {pin_of(agent, kind, slug): None})
        agent.pins.discard((kind, slug))

    def activate(self, agent, slug):
        agent.active = slug
        self.write(agent, "personas/activate", {"slug": slug}, {("active", agent.handle): slug})

    def uninstall(self, agent, kind, slug):
        values = {(kind, agent.handle, slug): None, pin_of(agent, kind, slug): None}
        agent.pins.discard((kind, slug))
        if kind == "personas" and slug == agent.active:
            agent.active = values["active", agent.handle] = None
        self.write(agent, f"{kind}/uninstall", {"slug": slug}, values, if_repeated={404})

    def rotate(self, agent):
        """Whether the agent received the text of its new token."""
        values = {of_token(agent): "ended"}
        response = self.write(agent, "tokens/rotate", {}, values, expected=201, if_repeated={401})
        if response is None or response.status == 401:
            return False
        agent.token = response.json()["token"]
        self.acknowledged.answered({of_token(agent): "usable"})
        return True

    def review(self, agent, persona, *, is_new):
        rating, comment = random.randint(100, 500) / 100, f"Review {random.getrandbits(64):x}"
        body = {"personaSlug": persona, "rating": rating, "comment": comment}
        values = {("review", agent.handle, persona): f"{rating:.2f} {comment}"}
        self.write(
            *(agent, "reviews", body, values),
            expected=201 if is_new else 200,
            if_repeated={200},
        )

    def report(self, agent, skill, *, is_new):
        reason = random.choice(["broken", "spam", "license"])
        body = {"kind": "skill", "slug": skill, "reason": reason}
        values = {("report", agent.handle, skill): reason}
        self.write(
            *(agent, "reports", body, values),
            expected=201 if is_new else 200,
            if_repeated={200},
        )

    def delete_review(self, agent, persona):
        values = {("review", agent.handle, persona): None}
        path = f"reviews/{persona}"
        self.write(agent, path, None, values, method="DELETE", if_repeated={404})

    def write(self, agent, path, body, values, *, expected=200, if_repeated=(), method="POST"):
        """The response once the values are stored, or None.

        A repetition may also get `if_repeated`, if the earlier attempt stored them.
        """
        self.acknowledged.sent(values)
        response, is_repeated = self.send(
            *(f"{ME}/{path}", body, agent.token),
            method=method,
            expected={expected},
            if_repeated={expected, *if_repeated},
        )
        if response is not None:
            self.acknowledged.answered(values)
            if is_repeated and response.status != expected:
                self.lost_responses.append(body)
        return response

    def send(self, path, body, token=None, *, expected, if_repeated=None, method="POST"):
        """The expected response or None, and whether the request was repeated."""
        is_repeated = False
        while not self.stopped.is_set():
            response = self.try_once(method, path, body, token)
            if response is not None and response.status != 503:
                if response.status in (expected if not is_repeated else if_repeated or expected):
                    return response, is_repeated
                self.unexpected.append(f"{path} {body}: {response.status} {response.body[:200]}")
                return None, is_repeated
            is_repeated = True
            time.sleep(PAUSE)
        return None, is_repeated

    def try_once(self, method, path, body, token):
        begun = time.monotonic()
        response = None
        try:
            response = self.server.request(method, path, body, token=token)
        except (OSError, HTTPException) as error:
            result = type(error).__name__
            if result not in NO_RESPONSE:
                self.unexpected.append(f"{method} {path} {body}: {error!r}")
        else:
            result = response.status
            if result == 503 and not is_retriable(response):
                self.unexpected.append(f"{path} {body}: {response}")
        self.outcomes.append(LoadOutcome(begun, time.monotonic(), result))
        return response

    def results(self):
        """How often each status and each error occurred."""
        return Counter(outcome.result for outcome in self.outcomes)

    def unanswered(self):
        return sum(result in NO_RESPONSE for result in map(attrgetter("result"), self.outcomes))

    def first_success_after(self, start):
        """The time of the first success after `start`; infinity if there is none."""
        return min(
            (
                outcome.ended
                for outcome in self.outcomes.copy()
                if outcome.ended >= start and outcome.result in {200, 201}
            ),
            default=float("inf"),
        )


def pin_of(agent, kind, slug):
    """The key of the digest that the agent has pinned."""
    return f"pinned {kind}", agent.handle, slug


def of_token(agent):
    """The key of the agent's token."""
    return "token", hashlib.sha256(agent.token.encode()).hexdigest()


def is_retriable(response):
    """Whether a 503 is JSON and says when to retry."""
    return (
        response.headers["Content-Type"] == "application/json"
        and [*response.json()] == ["error"]
        and int(response.headers["Retry-After"]) >= 1
    )
