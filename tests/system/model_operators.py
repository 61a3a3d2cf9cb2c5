"""The model of the people behind the agents: claims, operator keys, and what the console does."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from tests.system import model_validation as validation
from tests.system.matchers import Opaque, ShortRepr, StartsWith, Timestamp
from tests.system.model_agents import LIMIT, Response, error, forbidden, operation
from tests.system.model_installs import installed
from tests.system.model_tokens import usable
from tests.system.model_validation import SCOPES

MAX_WRONG_CODES = 5
MAX_CODES = 3  # of a claim that are valid
MAX_DAYS = 3650
LIMITED = ["install", "review", "manage", "report"]
LABELS = {
    "install": "Installs",
    "review": "Reviews",
    "confirm-claim": "Claim codes",
    "manage": "Changes",
    "report": "Reports",
}
LETTERS = "[BCDFGHJKLMNPQRSTVWXZ]{4}"


@dataclass(eq=False)
class Key(ShortRepr):
    """What opens the console, once an agent has confirmed it and until it ends."""

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
    """Somebody who says to operate an agent, and the code that this may confirm it with."""

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
    waiting: list = field(default_factory=list)  # those who have asked for a code, newest last
    confirmed: CodeRequest | None = None
    claimed: Timestamp | None = None
    scopes: tuple = ()

    def __repr__(self):
        return f"<claim by {self.confirmed}, next {self.waiting}>"

    @property
    def is_full(self):
        return {*SCOPES} <= {*self.scopes}

    def status(self):
        operator = self.confirmed and {"name": self.confirmed.name}
        status = "claimed" if self.confirmed else "pending" if self.waiting else "unclaimed"
        return {"status": status, "operator": operator, "claimedAt": self.claimed}

    def shown(self):
        return {**self.status(), "claimUrl": self.url}


def granted(token):
    """What who is confirmed by a token may do: as much as this, and little if it expires."""
    return ["read"] if token.expires else token.scopes


def letters(code):
    return code.upper().replace("-", "").replace(" ", "")


def refused_code(claim, asked):
    """The response to a code that confirms nobody; `asked` are those who were shown it."""
    valid = [request for request in claim.waiting if request.is_valid]
    if asked or (claim.waiting and not valid):
        return error(410, "Claim code has expired")
    for request in valid:
        request.wrong += 1
    return error(400, "Invalid claim code")


class OperatorRules:
    def agents_of(self, key):
        """Those that the console of this key shows."""
        operated = [agent for agent in self.agents if agent.claim.confirmed]
        return [a for a in operated if key.opens and a.claim.confirmed.key is key]

    def request_code(self, agent, name, key_text):
        """Whom the claim page shows a code to, with a new key for who gives none; None refuses."""
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

    @operation("read", validation.code_problem, policy="confirm-claim")
    def confirm_claim(self, token, body):
        agent, claim = token.agent, token.agent.claim
        if not (claim.confirmed and claim.confirmed.is_right(body["code"])):
            if refused := self.refused_claim(claim, token):
                return refused
            asked = [request for request in claim.waiting if request.is_right(body["code"])]
            if not any(request.is_valid and not request.key.is_ended for request in asked):
                return refused_code(claim, asked)
            self.take_over(claim, asked[0], granted(token))
        return Response(
            200,
            {
                "message": StartsWith(),
                "agentId": agent.agent_id,
                "handle": agent.handle,
                "claim": claim.status(),
            },
        )

    def refused_claim(self, claim, token):
        """Why a claimed agent is not claimed anew, whatever the code."""
        if not claim.confirmed:
            return None
        if not claim.waiting:
            return error(409, "Agent is already claimed")
        missing = [scope for scope in claim.scopes if scope not in granted(token)]
        return forbidden(missing[0]) if missing else None

    def take_over(self, claim, asked, scopes):
        previous, claim.confirmed, claim.waiting = claim.confirmed, asked, []
        claim.claimed, claim.scopes = Timestamp(self.interval), tuple(scopes)
        claim.confirmed.key.is_confirmed = True
        self.leave(previous)

    def release(self, agent):
        previous = agent.claim.confirmed
        agent.claim = self.new_claim()
        agent.is_paused, agent.limits = False, {}
        self.may_have_moved(agent)
        self.leave(previous)

    def leave(self, previous):
        """A key ends with its last agent."""
        if previous and not any(
            agent.claim.confirmed and agent.claim.confirmed.key is previous.key
            for agent in self.agents
        ):
            previous.key.is_ended = True

    def operate(self, key, action, agent, given):
        """The status with which the console of a key responds to the form of an action."""
        if not key.opens:
            return 302  # to the form that takes a key
        if agent not in self.agents_of(key):
            return 404
        if action != "release" and not agent.claim.is_full:
            return 403
        return getattr(Console(self), action.replace("-", "_"))(agent, **given)


class Console:
    """What each form of the console does: 302 is done, 400 a mistake in it, 404 not there.

    A 403 is before all that.
    """

    def __init__(self, model):
        self.model = model

    def pause(self, agent):
        return self.change(agent, is_paused=True)

    def resume(self, agent):
        return self.change(agent, is_paused=False)

    def limits(self, agent, **limits):
        limits = {policy: int(limit) for policy, limit in limits.items() if limit}
        if not all(1 <= limit <= LIMIT for limit in limits.values()):
            return 400
        return self.change(agent, limits=limits)

    def change(self, agent, **fields):
        for name, value in fields.items():
            setattr(agent, name, value)
        self.model.may_have_moved(agent)
        return 302

    def release(self, agent):
        self.model.release(agent)
        return 302

    def issue_token(self, agent, scopes, name, expires_in_days):
        days = int(expires_in_days or 1)
        if not scopes or not 1 <= days <= MAX_DAYS:
            return 400
        end = expires_in_days and Timestamp(self.model.interval, after=timedelta(days=days))
        scopes = [scope for scope in SCOPES if scope in scopes]
        self.model.issue(agent, self.model.new_text(), scopes, name=name, expires=end or None)
        return 200

    def revoke_token(self, agent, subject):
        found = [token for token in usable(agent) if token.token_id.value == subject]
        return self.revoke(found) if found else 404

    def revoke_tokens(self, agent):
        found = usable(agent)
        return self.revoke(found) if found else 404

    def new_claim_url(self, agent):
        agent.claim.url, agent.claim.waiting = self.model.new_claim().url, []
        return 302

    def revoke(self, tokens):
        for token in tokens:
            token.is_usable = False
        return 302

    def remove_skill(self, agent, subject):
        return self.remove(agent.skills, subject)

    def remove_persona(self, agent, subject):
        if agent.active and agent.active.slug == subject:
            agent.active = None
        return self.remove(agent.personas, subject)

    def remove(self, installs, slug):
        entry = installed(installs, slug)
        if entry is None:
            return 404
        del installs[entry]
        return 302


def overview(agent):
    """What the console shows of an agent, with the texts of its page."""
    written = [review for review in agent.reviews.values() if not review.is_deleted]
    state, is_full = "paused" if agent.is_paused else "active", agent.claim.is_full
    return {
        "state": "suspended by staff" if agent.is_suspended else state,
        "next": ("resume" if agent.is_paused else "pause") if agent.claim.is_full else None,
        "claimed by": agent.claim.confirmed.name,
        "tokens": [token.token_id for token in reversed(usable(agent)) if is_full],
        "hints": [token.hint for token in reversed(usable(agent))],
        "skills": [skill.slug for skill in reversed(agent.skills) if is_full],
        "personas": [persona.slug for persona in reversed(agent.personas) if is_full],
        "active": agent.active and agent.active.slug,
        "advisories": [[advisory["kind"], advisory["slug"]] for advisory in agent.advisories()],
        "updates": [[update["kind"], update["slug"]] for update in agent.updates()],
        "reviews": [
            [review.persona.slug, str(review.rating.normalize())]
            for review in sorted(written, key=lambda review: -review.first_written)
        ],
        "limits": [
            [LABELS[limit["policy"]], str(limit["remaining"]), shown_limit(agent, limit)]
            for limit in agent.limits_left()
        ],
    }


def shown_limit(agent, limit):
    is_lowered = agent.limits.get(limit["policy"], LIMIT) < LIMIT
    return f"{limit['limit']}{', lowered' * is_lowered}"
