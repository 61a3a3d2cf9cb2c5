"""The model of what operators do with their agents in the console, and of its pages."""

from datetime import timedelta

from tests.system.matchers import Timestamp
from tests.system.model_agents import LIMIT
from tests.system.model_installs import installed
from tests.system.model_tokens import usable
from tests.system.model_validation import SCOPES

MAX_DAYS = 3650
LIMITED = ["install", "review", "manage", "report"]
LABELS = {
    "install": "Installs",
    "review": "Reviews",
    "confirm-claim": "Claim codes",
    "manage": "Changes",
    "report": "Reports",
    "clone": "Clones",
}


class OperatedAgents:
    """The effect of each form of the console: 302 if done, 400 for a mistake, 404 if not found.

    A 403 comes before all of these.
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
        return 302

    def revoke_token(self, agent, subject):
        tokens = [token for token in usable(agent) if token.token_id.value == subject]
        return self.revoke(tokens) if tokens else 404

    def revoke_tokens(self, agent):
        tokens = usable(agent)
        return self.revoke(tokens) if tokens else 404

    def new_claim_url(self, agent):
        agent.claim.url, agent.claim.waiting = self.model.new_claim().url, []
        return 302

    def revoke(self, tokens):
        for token in tokens:
            token.is_usable = False
        return 302

    def pin_skill(self, agent, subject, version=None):
        return self.move(agent.skills, subject, self.model.pin, version)

    def pin_persona(self, agent, subject, version=None):
        return self.move(agent.personas, subject, self.model.pin, version)

    def unpin_skill(self, agent, subject):
        return self.move(agent.skills, subject, self.model.unpin)

    def unpin_persona(self, agent, subject):
        return self.move(agent.personas, subject, self.model.unpin)

    def update_skill(self, agent, subject):
        return self.move(agent.skills, subject, self.model.update)

    def update_persona(self, agent, subject):
        return self.move(agent.personas, subject, self.model.update)

    def move(self, installs, slug, write, version=None):
        entry = installed(installs, slug)
        if entry is None or not entry.is_published:
            return 404
        response = write(entry, installs[entry], {"version": version and int(version)})
        return 302 if response.status == 200 else 400

    def pin_all(self, agent):
        return self.move_all(agent, self.model.pin)

    def unpin_all(self, agent):
        return self.move_all(agent, self.model.unpin)

    def update_all(self, agent):
        return self.move_all(agent, self.model.update)

    def move_all(self, agent, write):
        for entry, install in (agent.skills | agent.personas).items():
            if entry.is_published:
                write(entry, install, {})
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
    """The console's page of an agent, with its texts."""
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
        "versions": versions(agent.skills) + versions(agent.personas),
        "active": agent.active and agent.active.slug,
        "advisories": [told(advisory) for advisory in agent.advisories()],
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


def told(advisory):
    number = advisory["number"]
    done = "recalled" if advisory["reason"] else "withdrawn"
    done = done if number is None else f"recalled version {number} of"
    return [done, advisory["kind"], advisory["slug"]]


def shown_limit(agent, limit):
    is_lowered = agent.limits.get(limit["policy"], LIMIT) < LIMIT
    return f"{limit['limit']}{', lowered' * is_lowered}"


def versions(installs):
    """The versions of published entries that the agent gets, and the texts about them."""
    return [
        [
            entry.slug,
            str(entry.given(install).number),
            ", pinned" * bool(install.pinned),
            "update" * (install.digest != entry.digest),
        ]
        for entry, install in reversed(installs.items())
        if entry.is_published
    ]
