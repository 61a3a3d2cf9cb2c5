"""The model of the people behind the agents: claims and operator keys."""

from dataclasses import dataclass, field
from typing import Any

from tests.system.matchers import Opaque, ShortRepr, StartsWith, Timestamp
from tests.system.model_agents import Reply, error, forbidden, operation

MAX_WRONG_CODES = 5
MAX_CODES = 3  # valid ones of a claim
LETTERS = "[BCDFGHJKLMNPQRSTVWXZ]{4}"


@dataclass(eq=False)
class Key(ShortRepr):
    """Opens the operator's console, once an agent has confirmed it and until it ends."""

    text: Any
    is_confirmed: bool = False
    is_ended: bool = False

    def __repr__(self):
        return f"<key {self.text}>"

    @property
    def opens(self):
        return self.is_confirmed and not self.is_ended


@dataclass(eq=False)
class CodeRequest(ShortRepr):
    """A person who claims to operate an agent, and the code to confirm that."""

    name: str
    code: Any
    key: Key
    wrong: int = 0

    def __repr__(self):
        return f"<code {self.code} for {self.name}>"

    def is_right(self, code):
        return letters(code) == letters(str(self.code))

    @property
    def is_valid(self):
        return self.wrong < MAX_WRONG_CODES


@dataclass(eq=False)
class Claim(ShortRepr):
    url: Any
    waiting: list = field(default_factory=list)  # people who requested a code, newest last
    confirmed: CodeRequest | None = None
    claimed: Timestamp | None = None
    scopes: tuple = ()

    def __repr__(self):
        return f"<claim by {self.confirmed}, next {self.waiting}>"

    def status(self):
        operator = self.confirmed and {"name": self.confirmed.name}
        status = "claimed" if self.confirmed else "pending" if self.waiting else "unclaimed"
        return {"status": status, "operator": operator, "claimedAt": self.claimed}

    def status_with_url(self):
        return {**self.status(), "claimUrl": self.url}


def granted(token):
    """The rights of an operator by the confirming token: its scopes, few if it expires."""
    return ["read"] if token.expires else token.scopes


def letters(code):
    return code.upper().replace("-", "").replace(" ", "")


def refused_code(claim, requests):
    """The response to a code that confirms nobody; `requests` are those that showed it."""
    valid = [request for request in claim.waiting if request.is_valid]
    if requests or (claim.waiting and not valid):
        return error(410, "Claim code has expired")
    for request in valid:
        request.wrong += 1
    return error(400, "Invalid claim code")


class OperatorRules:
    def request_code(self, agent, name, key_text):
        """Issue a code on the claim page, with a new key if needed; None if it is refused."""
        key = next((k for k in self.keys if k.opens and str(k.text) == key_text), None)
        if key_text and key is None:
            return None
        if key is None:
            key = Key(Opaque(r"mkt_operator_[0-9A-Za-z]{38}", self.seen))
            self.keys.append(key)
        code = Opaque(f"{LETTERS}-{LETTERS}", self.seen)
        others = [request for request in agent.claim.waiting if request.is_valid]
        agent.claim.waiting = [*others[1 - MAX_CODES :], CodeRequest(name, code, key)]
        return agent.claim.waiting[-1]

    @operation("read", policy="confirm-claim")
    def confirm_claim(self, token, body):
        agent, claim = token.agent, token.agent.claim
        if not (claim.confirmed and claim.confirmed.is_right(body["code"])):
            if refused := self.refused_claim(claim, token):
                return refused
            requests = [request for request in claim.waiting if request.is_right(body["code"])]
            if not any(request.is_valid and not request.key.is_ended for request in requests):
                return refused_code(claim, requests)
            self.take_over(claim, requests[0], granted(token))
        return Reply(
            200,
            {
                "message": StartsWith(),
                "agentId": agent.agent_id,
                "handle": agent.handle,
                "claim": claim.status(),
            },
        )

    def refused_claim(self, claim, token):
        """The reason to refuse another claim of a claimed agent, whatever the code."""
        if not claim.confirmed:
            return None
        if not claim.waiting:
            return error(409, "Agent is already claimed")
        missing = [scope for scope in claim.scopes if scope not in granted(token)]
        return forbidden(missing[0]) if missing else None

    def take_over(self, claim, request, scopes):
        previous, claim.confirmed, claim.waiting = claim.confirmed, request, []
        claim.claimed, claim.scopes = Timestamp(self.interval), tuple(scopes)
        claim.confirmed.key.is_confirmed = True
        self.leave(previous)

    def release(self, agent):
        previous = agent.claim.confirmed
        agent.claim = self.new_claim()
        self.may_have_moved(agent)
        self.leave(previous)

    def leave(self, previous):
        """A key ends with its last agent."""
        if previous and not any(
            agent.claim.confirmed and agent.claim.confirmed.key is previous.key
            for agent in self.agents
        ):
            previous.key.is_ended = True
