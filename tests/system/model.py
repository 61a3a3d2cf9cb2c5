"""The marketplace in memory, as the contract describes it.

It imports nothing from the product. Each operation takes the contents of a request, changes the
model if the request succeeds, and returns the expected Reply. It counts counters from the rows.
"""

import re

from tests.system.matchers import Interval, Opaque, StartsWith, Timestamp
from tests.system.model_agents import SCOPES, Agent, Reply, error, operation
from tests.system.model_catalogue import (
    Entry,
    edits,
    list_query,
    published,
)
from tests.system.model_installs import NOT_FOUND, InstallRules
from tests.system.model_reviews import ReviewRules
from tests.system.model_signals import SignalRules
from tests.system.model_submissions import SubmissionRules
from tests.system.model_tokens import TokenRules
from tests.system.model_version_rules import VersionRules


class Model(InstallRules, ReviewRules, SignalRules, SubmissionRules, TokenRules, VersionRules):
    def __init__(self, base_url):
        self.base_url = base_url
        self.agents, self.entries, self.seen = [], {"skills": [], "personas": []}, set()
        self.purges = {}  # (kind, digest) -> the purged text
        self.feed, self.unread = {}, set()
        self.interval = Interval()

    def opaque(self, kind):
        return Opaque(rf"{kind}_[0-9A-Za-z]+", self.seen)

    @property
    def tokens(self):
        return [token for agent in self.agents for token in agent.tokens]

    # Operations for everyone

    def register(self, _token, body):
        body = body or {}
        handle, name = body.get("handle"), body.get("name") or ""
        if handle in self.handles:
            return error(409, "Handle already taken")
        agent = Agent(
            self.opaque("agent"),
            handle or self.handle_for(name),
            {key: body.get(key) or "" for key in ("name", "description", "runtime")},
            self.opaque_claim_url(),
            created=Timestamp(self.interval),
            updated=Timestamp(self.interval),
        )
        token = self.issue(agent, self.new_text(), SCOPES)
        self.agents.append(agent)
        return Reply(
            201,
            {
                "message": StartsWith(),
                "agentId": agent.agent_id,
                "handle": agent.handle,
                **agent.profile,
                "token": token.text,
                "tokenType": "Bearer",
                "scopes": SCOPES,
                "tokenExpiresAt": None,
                "claim": agent.claim,
                "createdAt": agent.created,
            },
        )

    def opaque_claim_url(self):
        return Opaque(rf"{re.escape(self.base_url)}/claim/[0-9A-Za-z]{{20,}}", self.seen)

    @property
    def handles(self):
        return {str(agent.handle) for agent in self.agents}

    def handle_for(self, name):
        """The name as a handle, with a random suffix if it is taken."""
        stem = "-".join(re.findall("[a-z0-9]+", name.lower()))
        if len(stem) >= 3 and stem not in {"admin"} | self.handles:
            return stem
        return Opaque(rf"{stem}-[a-z0-9]+" if stem else "[a-z0-9]+(-[a-z0-9]+)*")

    def detail(self, kind, slug):
        entry = self.published(kind, slug)
        return error(404, NOT_FOUND[kind]) if entry is None else Reply(200, entry.detail())

    def list_skills(self, _token, query):
        return self.list_entries("skills", query)

    def list_personas(self, _token, query):
        return self.list_entries("personas", query)

    def list_entries(self, kind, query):
        """The rows for a query."""
        return [entry.listed() for entry in list_query(kind, self.entries[kind], query)]

    def published(self, kind, slug, *, held=()):
        """The published entry with this slug, or one that the agent has, whatever its status."""
        known = [*published(self.entries[kind]), *held]
        return next((entry for entry in known if entry.slug == slug), None)

    # Operations of agents

    @operation("read")
    def me(self, token, _body):
        return Reply(200, token.agent.profile_for(token, self.maintained_by(token.agent)))

    def maintained_by(self, agent):
        return {
            kind: sum(agent in entry.present_maintainers for entry in entries)
            for kind, entries in self.entries.items()
        }

    @operation("read")
    def update_me(self, token, body):
        agent = token.agent
        given = {key: body[key] for key in agent.profile if body.get(key) is not None}
        if given.items() - agent.profile.items():
            agent.updated = Timestamp(self.interval)
        elif given:
            self.may_have_moved(agent)
        agent.profile |= given
        return self.me(token)

    # Operations of staff

    def suspend(self, agent, *, suspended):
        agent.is_suspended = suspended
        if suspended:
            self.end_all_trust(agent)
        self.may_have_moved(agent)

    def may_have_moved(self, agent):
        """The contract leaves open whether this updates the profile."""
        agent.updated = Timestamp(self.interval, earliest=agent.updated.earliest)

    def add(self, kind, fields, content, status, *, price=0, bundle=(), frontmatter=""):
        entry = Entry(
            kind,
            self.opaque(kind.removesuffix("s")),
            fields,
            content,
            status,
            created=Timestamp(self.interval),
            updated=Timestamp(self.interval),
            frontmatter=frontmatter if kind == "personas" else None,
            price_cents=price,
            bundle=list(bundle),
        )
        for skill in bundle:
            skill.bundled_in.append(entry)
        self.entries[kind].append(entry)
        self.note(entry, was_published=False)
        return entry

    def edit(self, entry, **values):
        was_published, before = entry.is_published, dict(entry.fields)
        for name, value in values.items():
            if name in entry.fields:
                entry.fields[name] = value
            else:
                setattr(entry, name, value)
        entry.edited, entry.updated = next(edits), Timestamp(self.interval)
        changed = {name for name, value in before.items() if entry.fields[name] != value}
        self.note(entry, was_published=was_published, changed=changed)

    def redraft(self, entry):
        self.set_status(entry, "draft")

    def recall(self, entry, reason):
        self.withdraw(entry, reason)

    def withdraw(self, entry, reason=""):
        self.set_status(entry, "withdrawn", reason)
        entry.withdrawn = entry.edited, Timestamp(self.interval)

    def hide(self, review):
        review.is_hidden = True

    def restore_review(self, review):
        review.is_hidden = False

    def set_status(self, entry, status, reason=""):
        self.edit(entry, status=status)
        entry.reason, entry.withdrawn = reason, None
