"""The agents of the model and their tokens: who may call, and what a profile shows."""

from dataclasses import dataclass, field
from typing import Any

from tests.system.matchers import ShortRepr
from tests.system.model_catalogue import slugs

SCOPES = ["read", "install", "review"]
CHALLENGE = 'Bearer realm="marketplace"'


@dataclass
class Response:
    status: int
    body: Any
    challenge: str | None = None  # the header WWW-Authenticate


def error(status, text, challenge=None):
    return Response(status, {"error": text}, challenge)


@dataclass(eq=False)
class Token(ShortRepr):
    text: Any
    agent: Any = None
    scopes: list = field(default_factory=list)
    is_usable: bool = True

    def __repr__(self):
        return f"<token of {self.agent}: {'/'.join(self.scopes)}>"

    def may(self, scope):
        return refusal(self, scope) is None


def refusal(token, scope):
    """Why a request of this scope is refused, or None."""
    if token is None:
        return error(401, "Authentication required", CHALLENGE)
    if not token.is_usable or token.agent.is_suspended:
        return error(401, "Authentication required", f'{CHALLENGE}, error="invalid_token"')
    if scope not in token.scopes:
        need = f'{CHALLENGE}, error="insufficient_scope", scope="{scope}"'
        return error(403, "Insufficient permissions", need)
    return None


@dataclass(eq=False)
class Agent(ShortRepr):
    agent_id: Any
    handle: Any
    profile: dict  # name, description and runtime
    claim: dict
    created: Any
    updated: Any
    is_suspended: bool = False
    tokens: list = field(default_factory=list)
    skills: dict = field(default_factory=dict)  # skill -> runtime and time of the install
    personas: dict = field(default_factory=dict)  # persona -> time of the install
    active: Any = None
    reviews: dict = field(default_factory=dict)  # persona -> identifier and time

    def __repr__(self):
        return str(self.handle)

    def shown(self, token):
        """The profile as GET /agents/me shows it."""
        return {
            "agentId": self.agent_id,
            "handle": self.handle,
            **self.profile,
            "tier": "free",
            "scopes": token.scopes,
            "claim": self.claim,
            "activePersona": self.active and self.active.named(),
            "skills": [
                {**skill.named(), "runtime": runtime, "installedAt": installed_at}
                for skill, (runtime, installed_at) in reversed(self.skills.items())
            ],
            "personas": [
                {
                    **persona.named(),
                    "isActive": persona is self.active,
                    "installedAt": installed_at,
                    "skills": slugs(persona.bundle),
                }
                for persona, installed_at in reversed(self.personas.items())
            ],
            "advisories": [],  # the model gives no reason for a withdrawal
            "counts": {
                "skills": len(self.skills),
                "personas": len(self.personas),
                "reviews": len(self.reviews),
            },
            "createdAt": self.created,
            "updatedAt": self.updated,
        }
