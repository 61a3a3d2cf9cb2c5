"""The model's agents and their tokens: access, and the profile."""

from collections import Counter
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from tests.system.matchers import Between, ShortRepr, Timestamp
from tests.system.model_catalogue import published, slugs
from tests.system.model_versions import agent_file

SCOPES = ["read", "install", "review"]  # of a token, unless a request names others
EVERY_SCOPE = [*SCOPES, "submit"]
CHALLENGE = 'Bearer realm="marketplace"'
POLICIES = ["install", "review", "confirm-claim", "manage", "report", "clone", "submit"]
# The test sets every limit to this. No run is as long as the window.
LIMIT, WINDOW_DAYS = 1_000_000, 1000
WINDOW = WINDOW_DAYS * 86_400  # seconds
MAX_BYTES = 8 * 2**20  # of the texts in a manifest


@dataclass
class Reply:
    status: int
    body: Any
    challenge: str | None = None  # the header WWW-Authenticate


def error(status, text, challenge=None):
    return Reply(status, {"error": text}, challenge)


@dataclass(eq=False)
class Token(ShortRepr):
    text: Any
    agent: Any = None
    scopes: list = field(default_factory=list)
    is_usable: bool = True
    token_id: Any = None
    name: str = ""
    created: Any = None
    used: Any = None  # first; no run is long enough to record another use
    expires: Any = None

    def __repr__(self):
        return f"<token of {self.agent}: {'/'.join(self.scopes)}>"

    def may(self, *scopes):
        """Whether one of the scopes allows a request."""
        return refusal(self, scopes) is None

    def authenticates(self):
        return self.is_usable and not self.agent.is_suspended

    @property
    def hint(self):
        text = str(self.text)
        return f"{text[:14]}…{text[-4:]}"


def refusal(token, scopes):
    """The reason to refuse a request that each of these scopes allows, or None."""
    if token is None:
        return error(401, "Authentication required", CHALLENGE)
    if not token.authenticates():
        return error(401, "Authentication required", f'{CHALLENGE}, error="invalid_token"')
    return None if {*scopes} & {*token.scopes} else forbidden(scopes[0])


def forbidden(scope):
    need = f'{CHALLENGE}, error="insufficient_scope", scope="{scope}"'
    return error(403, "Insufficient permissions", need)


def operation(*scopes, policy=None):
    """A method for requests with a token: the checks before its rule, in order.

    Each permitted request counts by its policy.
    """

    def decorate(rule):
        @wraps(rule)
        def respond(model, token, given=None):
            if token is not None and token.authenticates():
                token.used = token.used or Timestamp(model.interval)
            if refused := refusal(token, scopes):
                return refused
            token.agent.spent[policy] += 1
            return rule(model, token, given)

        return respond

    return decorate


@dataclass
class Install:
    """An agent's install of an entry, with the digest of its text."""

    digest: str
    installed: Any
    runtime: str = ""
    number: int | None = None
    pinned: Any = None  # the Version


@dataclass(eq=False)
class Agent(ShortRepr):
    agent_id: Any
    handle: Any
    profile: dict  # name, description and runtime
    claim_url: Any
    created: Any
    updated: Any
    is_suspended: bool = False
    tokens: list = field(default_factory=list)
    skills: dict = field(default_factory=dict)  # skill -> Install, oldest first
    personas: dict = field(default_factory=dict)
    active: Any = None
    reviews: dict = field(default_factory=dict)  # persona -> Review, including deleted ones
    reports: dict = field(default_factory=dict)  # target -> the response's identifiers
    submissions: list = field(default_factory=list)  # Submission, the oldest first
    spent: Counter = field(default_factory=Counter)  # policy -> counted requests

    def __repr__(self):
        return str(self.handle)

    @property
    def claim(self):
        """Nobody claims agents here: tests/operators and the races of claims do."""
        claim = {"status": "unclaimed", "operator": None, "claimedAt": None}
        return claim | {"claimUrl": self.claim_url}

    def profile_for(self, token, maintained):
        """The profile as GET /agents/me shows it, with the numbers of `maintained` entries."""
        return {
            "agentId": self.agent_id,
            "handle": self.handle,
            **self.profile,
            "tier": "free",
            "scopes": token.scopes,
            "claim": self.claim,
            "activePersona": self.active and self.active.named(),
            "skills": [self.installed(*pair) for pair in newest(self.skills)],
            "personas": [self.installed(*pair) for pair in newest(self.personas)],
            "advisories": self.advisories(),
            "updates": self.updates(),
            "counts": {
                "skills": len(self.skills),
                "personas": len(self.personas),
                "reviews": sum(not review.is_deleted for review in self.reviews.values()),
            },
            "maintains": maintained,
            "createdAt": self.created,
            "updatedAt": self.updated,
        }

    def installed(self, entry, install):
        """An install as the profile shows it."""
        row = {
            **entry.named(),
            "installedAt": install.installed,
            "deprecation": entry.deprecated,
        }
        if entry.kind == "skills":
            return {**row, "runtime": install.runtime}
        return {**row, "isActive": entry is self.active, "skills": slugs(entry.bundle)}

    def own(self, kind):
        """The rows of GET /agents/me/skills or /personas."""
        return [
            {
                **self.installed(entry, install),
                **entry.shown_to(install),
                "updateAvailable": entry.is_published and install.digest != entry.digest,
                "withdrawnAt": None if entry.is_published else entry.gone[1],
            }
            for entry, install in newest(getattr(self, kind))
        ]

    def advisories(self):
        """Its entries and versions that staff have withdrawn or recalled, latest first.

        A bundled draft has no advisory, because it may never have been published.
        """
        withdrawn = [(*entry.gone, entry, None, entry.reason) for entry in self.withdrawn()]
        recalled = [
            (version.recall.place, version.recall.at, entry, version.number, version.recall.reason)
            for entry, version in self.recalled()
        ]
        latest_first = sorted(withdrawn + recalled, key=lambda advisory: -advisory[0])
        return [
            {
                "kind": entry.kind.removesuffix("s"),
                "slug": entry.slug,
                "title": entry.fields["title"],
                "number": number,
                "reason": reason,
                "withdrawnAt": at,
            }
            for _, at, entry, number, reason in latest_first
        ]

    def recalled(self):
        """The recalled versions that it uses, each with its entry."""
        installs = (self.skills | self.personas).items()
        used = [(entry, entry.used(install, recalled=True)) for entry, install in installs]
        return [(entry, version) for entry, version in used if version]

    def withdrawn(self):
        gone = {entry for entry in (*self.skills, *self.personas) if not entry.is_published}
        gone |= {
            skill
            for persona in self.personas
            for skill in persona.bundle
            if skill.status == "withdrawn"
        }
        return gone

    def updates(self):
        outdated = [
            (entry, install)
            for entry, install in (self.skills | self.personas).items()
            if entry.is_published and install.digest != entry.digest and not install.pinned
        ]
        return [
            {
                "kind": entry.kind.removesuffix("s"),
                "slug": entry.slug,
                **entry.compared(install),
            }
            for entry, install in sorted(outdated, key=lambda pair: -pair[0].edited)
        ]

    def manifest(self, *, with_content):
        """The skills to load: those of the active persona, then its own."""
        installs = self.skills | self.personas
        has_active = self.active and self.active.is_given(installs[self.active])
        persona = self.active if has_active else None
        bundled = published(persona.bundle) if persona else []
        own = [skill for skill, _ in newest(self.skills)]
        others = [skill for skill in own if skill not in bundled]
        skills = [skill for skill in bundled + others if skill.is_given(installs.get(skill))]
        loaded = [persona] * (persona is not None) + skills
        given = {entry: entry.given(installs.get(entry)) for entry in loaded}
        sizes = [len(text.content.encode()) for text in given.values()]
        fits = {entry: sum(sizes[: n + 1]) <= MAX_BYTES for n, entry in enumerate(loaded)}

        def row(entry, install):
            return {
                **entry.named(),
                **entry.shown_to(install),
                "updateAvailable": install is not None and install.digest != entry.digest,
                "content": given[entry].content if with_content and fits[entry] else None,
                "contextTokens": given[entry].context_tokens,
                "deprecation": entry.deprecated,
            }

        return {
            "activePersona": persona
            and row(persona, self.personas[persona]) | agent_file(given[persona].frontmatter),
            "skills": [
                {
                    **row(skill, self.skills.get(skill)),
                    "description": given[skill].description,
                    "files": [],
                    "via": ["install"] * (skill in own) + ["persona"] * (skill in bundled),
                }
                for skill in skills
            ],
            "contextTokens": sum(text.context_tokens for text in given.values()),
            "advisories": self.advisories(),
            "truncated": with_content and not all(fits.values()),
        }

    def limits_left(self):
        return [
            {
                "policy": policy,
                "limit": LIMIT,
                "windowSeconds": WINDOW,
                "remaining": LIMIT - self.spent[policy],
                "resetSeconds": Between(1, WINDOW),
            }
            for policy in POLICIES
        ]


def newest(installs):
    return reversed(installs.items())
