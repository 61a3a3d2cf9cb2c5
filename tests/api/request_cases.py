"""The endpoints, and one request as the tables of hostile requests hold it."""

from dataclasses import dataclass, replace

SKILLS = "/api/v1/skills"
SKILL = "/api/v1/skills/pdf-tables"
SKILL_FILE = "/api/v1/skills/pdf-tables/files/scripts/run.py"
ARCHIVE = "/api/v1/skills/pdf-tables/archive.zip"
PERSONAS = "/api/v1/personas"
PERSONA = "/api/v1/personas/archivist"
REGISTER = "/api/v1/agents/register"
ME = "/api/v1/agents/me"
CONFIRM = "/api/v1/agents/me/confirm-claim"
TOKENS = "/api/v1/agents/me/tokens"
ROTATE = "/api/v1/agents/me/tokens/rotate"
TOKEN = "/api/v1/agents/me/tokens/token_unknown"
REVOKE = "/api/v1/tokens/revoke"
INSTALL_SKILL = "/api/v1/agents/me/skills/install"
INSTALL_PERSONA = "/api/v1/agents/me/personas/install"
UNINSTALL_SKILL = "/api/v1/agents/me/skills/uninstall"
UNINSTALL_PERSONA = "/api/v1/agents/me/personas/uninstall"
ACTIVATE = "/api/v1/agents/me/personas/activate"
DEACTIVATE = "/api/v1/agents/me/personas/deactivate"
LIMITS = "/api/v1/agents/me/limits"
MANIFEST = "/api/v1/agents/me/manifest"
OWN_SKILLS = "/api/v1/agents/me/skills"
OWN_PERSONAS = "/api/v1/agents/me/personas"
UPDATE_SKILL = "/api/v1/agents/me/skills/update"
UPDATE_PERSONA = "/api/v1/agents/me/personas/update"
REVIEWS = "/api/v1/agents/me/reviews"
REVIEW = "/api/v1/agents/me/reviews/archivist"
PERSONA_REVIEWS = "/api/v1/personas/archivist/reviews"
REPORTS = "/api/v1/agents/me/reports"
CHANGES = "/api/v1/changes"
FACETS = "/api/v1/facets"
ROOT = "/api/v1"

ALLOWED = {
    SKILLS: "GET, HEAD",
    SKILL: "GET, HEAD",
    SKILL_FILE: "GET, HEAD",
    ARCHIVE: "GET, HEAD",
    PERSONAS: "GET, HEAD",
    PERSONA: "GET, HEAD",
    REGISTER: "POST",
    ME: "GET, HEAD, PATCH",
    CONFIRM: "POST",
    TOKENS: "GET, HEAD, POST",
    ROTATE: "POST",
    TOKEN: "DELETE",
    REVOKE: "POST",
    INSTALL_SKILL: "POST",
    INSTALL_PERSONA: "POST",
    UNINSTALL_SKILL: "POST",
    UNINSTALL_PERSONA: "POST",
    ACTIVATE: "POST",
    DEACTIVATE: "POST",
    LIMITS: "GET, HEAD",
    MANIFEST: "GET, HEAD",
    OWN_SKILLS: "GET, HEAD",
    OWN_PERSONAS: "GET, HEAD",
    UPDATE_SKILL: "POST",
    UPDATE_PERSONA: "POST",
    REVIEWS: "GET, HEAD, POST",
    REVIEW: "DELETE",
    PERSONA_REVIEWS: "GET, HEAD",
    REPORTS: "POST",
    CHANGES: "GET, HEAD",
    FACETS: "GET, HEAD",
    ROOT: "GET, HEAD",
}
CODE = "WDJB-MJHT"  # the claim code that the tests leave pending

# Members that each endpoint accepts, so that only the hostile part can be what it refuses.
# A body's `@` stands for them.
VALID = {
    REGISTER: '"name": "Mallory"',
    ME: '"name": "Mallory"',
    CONFIRM: f'"code": "{CODE}"',
    TOKENS: '"name": "laptop"',
    ROTATE: '"graceSeconds": 60',
    REVOKE: '"token": "mkt_agent_unknown"',
    INSTALL_SKILL: '"slug": "pdf-tables"',
    INSTALL_PERSONA: '"slug": "archivist"',
    UPDATE_SKILL: '"slug": "pdf-tables"',
    UNINSTALL_SKILL: '"slug": "csv-tables"',
    UPDATE_PERSONA: '"slug": "librarian"',
    ACTIVATE: '"slug": "librarian"',
    DEACTIVATE: '"slug": "librarian"',
    REVIEWS: '"rating": 5, "personaSlug": "librarian"',
    REPORTS: '"kind": "persona", "slug": "librarian", "reason": "other"',
    # Last, because a review needs it installed.
    UNINSTALL_PERSONA: '"slug": "librarian"',
}
PROTECTED = [
    ("GET", ME),
    ("PATCH", ME),
    ("POST", CONFIRM),
    ("GET", TOKENS),
    ("POST", TOKENS),
    ("POST", ROTATE),
    ("DELETE", TOKEN),
    ("POST", INSTALL_SKILL),
    ("POST", INSTALL_PERSONA),
    ("POST", UNINSTALL_SKILL),
    ("POST", UNINSTALL_PERSONA),
    ("POST", ACTIVATE),
    ("POST", DEACTIVATE),
    ("GET", LIMITS),
    ("GET", MANIFEST),
    ("GET", OWN_SKILLS),
    ("GET", OWN_PERSONAS),
    ("POST", UPDATE_SKILL),
    ("POST", UPDATE_PERSONA),
    ("GET", REVIEWS),
    ("POST", REVIEWS),
    ("DELETE", REVIEW),
    ("POST", REPORTS),
]


@dataclass(frozen=True)
class Case:
    """A request and its exact status; `error` where the contract fixes the text.

    In a header `TOKEN` stands for the token of the agent that sends it, `SPARE` for another of it.
    """

    method: str
    path: str
    status: int
    error: str | None = None
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple = (("Authorization", "Bearer TOKEN"),)


def with_body(path, body, status, error=None, content_type="application/json"):
    body = body.encode() if isinstance(body, str) else body
    body = body.replace(b"@", VALID[path].encode())
    case = Case("PATCH" if path == ME else "POST", path, status, error, body, content_type)
    # Rotating ends the token of the request, which other cases still need.
    return replace(case, headers=(("Authorization", "Bearer SPARE"),)) if path == ROTATE else case


def name_of(path):
    return path.removeprefix("/api/v1/").removeprefix("agents/")


def words(text):
    """Split a short table at white space."""
    return text.split()
