"""The API's operations. An endpoint needs a file of tests and an entry here.

Scope, policy and budget are stated by hand, so that no test takes the code's word for them. The
document provides the rest, such as parameters and fields. tests/interfaces/test_openapi.py
compares the two.
"""

import json
from dataclasses import KW_ONLY, dataclass
from functools import cache

from django.utils import timezone

from agents.models import AgentToken, ClaimCode
from agents.models.claim_codes import digest_of
from interfaces.openapi.document import document
from marketplace.api.scopes import Scope
from publishers.models import Issuer
from submissions.models import Submission
from tests.factories import (
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    ask_for_code,
    review,
)
from tests.openapi_contract import resolved
from tests.publishers.issuer import CI, HOUR

API = "/api/v1"
CODE = "WDJB-MJHT"


@dataclass(frozen=True)
class Operation:
    """An operation, with an example that succeeds for the agent of `prepare`."""

    name: str  # its operationId
    method: str
    example: str  # its URL, below /api/v1
    body: dict | None = None
    _: KW_ONLY
    budget: int  # the most statements that the example runs
    cached_budget: int | None = None  # the statements that validate the cached response
    scope: str | None = None  # None if it is public
    other_scope: str | None = None  # opens it, too
    policy: str | None = None  # the rate limit that counts it
    status: int = 200

    @property
    def url(self):
        return API + self.example

    @property
    def path(self):
        return self.url.partition("?")[0]

    @property
    def scopes(self):
        """The scopes that open it, each alone."""
        return [scope for scope in (self.scope, self.other_scope) if scope]

    @property
    def has_body(self):
        return self.body is not None

    @property
    def route(self):
        """Its path in the document, with the names of parameters."""
        return descriptions()[self.name][0]

    @property
    def description(self):
        return descriptions()[self.name][1]

    @property
    def parameters(self):
        """The schema of each parameter of its query."""
        parameters = [resolved(part) for part in self.description.get("parameters", [])]
        return {part["name"]: part["schema"] for part in parameters if part["in"] == "query"}

    @property
    def required_parameters(self):
        """The names of the parameters that every query needs."""
        parameters = [resolved(part) for part in self.description.get("parameters", [])]
        return tuple(
            part["name"] for part in parameters if part["in"] == "query" and part.get("required")
        )

    @property
    def schema(self):
        """The schema of its body."""
        content = self.description.get("requestBody", {"content": {}})["content"].values()
        return resolved(next(iter(content), {"schema": {}})["schema"])

    @property
    def members(self):
        """The members of its body as text, for others to follow."""
        return json.dumps(self.body)[1:-1]


@cache
def descriptions():
    """The path and the description of each operation of the document, by its operationId."""
    return {
        operation["operationId"]: (path, operation)
        for path, methods in document()["paths"].items()
        for operation in methods.values()
    }


def reading(name, example, **needs):
    return Operation(name, "GET", example, **needs)


def installing(name, example, slug, *, policy="manage", **needs):
    path = f"/agents/me/{example}"
    return Operation(name, "POST", path, {"slug": slug}, scope="install", policy=policy, **needs)


def managing(name, method, example, body=None, *, policy="manage", **needs):
    """An agent's request about itself, with any token that can read."""
    path = f"/agents/me{example}"
    return Operation(name, method, path, body, scope="read", policy=policy, **needs)


REVIEW = {"rating": 5, "personaSlug": "librarian"}
VERSIONS = "/skills/pdf-tables/versions"
REPORT = {"kind": "persona", "slug": "librarian", "reason": "other"}
SUBMISSIONS = "/agents/me/submissions"
SUBMISSION = {"kind": "skill", "content": "---\nname: html-tables\n---\n\nRead the table.\n"}
ACTIONS = CI("https://ci.example")

# The examples succeed in this order, one after the other, and each alone.
OPERATIONS = [
    reading("get_root", "", budget=0, cached_budget=0),
    reading("list_skills", "/skills?tag=tables&category=development", budget=1, cached_budget=1),
    reading("get_skill", "/skills/pdf-tables", budget=1, cached_budget=1),
    reading("get_skill_md", "/skills/pdf-tables/SKILL.md", budget=1, cached_budget=1),
    reading("get_skill_file", "/skills/pdf-tables/files/scripts/run.py", budget=2),
    reading("get_skill_archive", "/skills/pdf-tables/archive.zip", budget=2),
    reading("list_skill_versions", f"{VERSIONS}?limit=1", budget=2, cached_budget=2),
    reading("get_skill_version", f"{VERSIONS}/1", budget=2, cached_budget=1),
    reading("get_skill_version_md", f"{VERSIONS}/1/SKILL.md", budget=2, cached_budget=1),
    reading("get_skill_version_file", f"{VERSIONS}/1/files/scripts/run.py", budget=2),
    reading("get_skill_version_archive", f"{VERSIONS}/1/archive.zip", budget=3),
    reading("list_personas", "/personas?sort=rating&free=true", budget=1, cached_budget=1),
    reading("get_persona", "/personas/archivist", budget=2, cached_budget=1),
    reading("list_persona_versions", "/personas/archivist/versions", budget=2, cached_budget=2),
    reading("get_persona_version", "/personas/archivist/versions/1", budget=2, cached_budget=1),
    reading("list_reviews", "/personas/curator/reviews?rating=4", budget=2, cached_budget=2),
    reading("list_facets", "/facets?kind=skill", budget=1, cached_budget=1),
    # The state of the feed before and after.
    reading("list_changes", "/changes?kind=skill&limit=3", budget=3, cached_budget=1),
    reading("get_profile", "/agents/me", scope="read", budget=1),
    reading("get_limits", "/agents/me/limits", scope="read", budget=2),
    reading("get_manifest", "/agents/me/manifest", scope="read", budget=5),
    reading("list_own_skills", "/agents/me/skills", scope="read", budget=2),
    reading("list_own_personas", "/agents/me/personas", scope="read", budget=2),
    reading("list_own_reviews", "/agents/me/reviews", scope="read", budget=2),
    reading("list_tokens", "/agents/me/tokens", scope="read", budget=2),
    managing("update_profile", "PATCH", "", {"name": "Mallory"}, policy=None, budget=2),
    managing(
        *("confirm_claim", "POST", "/confirm-claim", {"code": CODE}),
        policy="confirm-claim",
        budget=22,
    ),
    managing("create_token", "POST", "/tokens", {"name": "laptop"}, budget=8, status=201),
    managing("revoke_token", "DELETE", "/tokens/token_spare", budget=9),
    installing(
        "install_skill", "skills/install", "pdf-tables", policy="install", budget=3, status=201
    ),
    # The token, the limit, BEGIN and COMMIT, the agent's lock, the install and its change; if it
    # depends on the entry, the turn at it; for an activation, the previous persona; for an update
    # or a pin, the version.
    installing("update_skill", "skills/update", "csv-tables", budget=9),
    installing("pin_skill", "skills/pin", "csv-tables", budget=10),
    installing("unpin_skill", "skills/unpin", "csv-tables", budget=8),
    installing("uninstall_skill", "skills/uninstall", "csv-tables", budget=7),
    installing(
        "install_persona", "personas/install", "archivist", policy="install", budget=3, status=201
    ),
    installing("update_persona", "personas/update", "librarian", budget=9),
    installing("pin_persona", "personas/pin", "librarian", budget=10),
    installing("unpin_persona", "personas/unpin", "librarian", budget=8),
    installing("activate_persona", "personas/activate", "librarian", budget=9),
    installing("deactivate_persona", "personas/deactivate", "librarian", budget=7),
    Operation(
        *("submit_review", "POST", "/agents/me/reviews", REVIEW),
        scope="review",
        policy="review",
        budget=3,
        status=201,
    ),
    Operation(
        *("delete_review", "DELETE", "/agents/me/reviews/curator"),
        scope="review",
        policy="review",
        budget=9,
    ),
    Operation(
        *("submit_report", "POST", "/agents/me/reports", REPORT),
        scope="review",
        policy="report",
        budget=14,
        status=201,
    ),
    Operation(
        *("submit", "POST", SUBMISSIONS, SUBMISSION),
        budget=22,
        status=201,
        scope="submit",
        policy="submit",
    ),
    reading("list_submissions", SUBMISSIONS, scope="read", other_scope="submit", budget=2),
    reading(
        "get_submission",
        f"{SUBMISSIONS}/submission_sent",
        scope="read",
        other_scope="submit",
        budget=2,
    ),
    Operation(
        *("withdraw_submission", "DELETE", f"{SUBMISSIONS}/submission_sent"),
        scope="submit",
        policy="manage",
        budget=10,
    ),
    installing("uninstall_persona", "personas/uninstall", "librarian", budget=7),
    Operation(
        *("register_agent", "POST", "/agents/register", {"name": "Mallory"}),
        policy="register",
        budget=6,
        status=201,
    ),
    Operation(
        *("revoke_leaked_token", "POST", "/tokens/revoke", {"token": "mkt_agent_unknown"}),
        policy="revoke",
        budget=2,
    ),
    # Two limits, the publisher, the keys, the locks of two rows, the token that is spent, the token
    # that is issued.
    Operation(
        *("exchange_token", "POST", "/tokens/exchange", {"token": ACTIONS.token(lasts=HOUR)}),
        policy="exchange",
        budget=18,
        status=201,
    ),
    # Last, because it ends the token of the request.
    managing("rotate_token", "POST", "/tokens/rotate", {"graceSeconds": 60}, budget=10, status=201),
]
OPERATION = {operation.name: operation for operation in OPERATIONS}
PUBLIC = [operation for operation in OPERATIONS if operation.scope is None]
PROTECTED = [operation for operation in OPERATIONS if operation.scope is not None]
WITH_BODY = [operation for operation in OPERATIONS if operation.has_body]


def prepare(agent):
    """Create the rows that the examples need, and let the agent's token submit."""
    allow_all(agent)
    send_submission(agent)
    # With titles, because a search for a number would match the factories' numbered ones.
    pdf = SkillFactory(
        slug="pdf-tables", title="PDF", tags=["tables"], files={"scripts/run.py": b"print(1)"}
    )
    PersonaFactory(slug="archivist", title="Archivist", skills=[pdf])
    SkillInstallFactory(agent=agent, skill__slug="csv-tables", skill__title="CSV")
    librarian = PersonaFactory(slug="librarian", title="Librarian")
    PersonaInstallFactory(agent=agent, persona=librarian)
    review(agent, PersonaFactory(slug="curator", title="Curator"), 4)
    spare = AgentToken.objects.issue(agent, ["read"])
    AgentToken.objects.filter(pk=spare.pk).update(public_id="token_spare")
    ACTIONS.publisher(agent)
    now = timezone.now()
    Issuer.objects.create(url=ACTIONS.url, keys=ACTIONS.keys, fetched_at=now, tried_at=now)
    ask_for_code(agent)
    ClaimCode.objects.update(code_digest=digest_of(CODE, agent.pk))


def allow_all(agent):
    """Let the agent's token submit, too, which a registration's may not."""
    agent.token.scopes = [*agent.token.scopes, Scope.SUBMIT]
    agent.token.save(update_fields=["scopes"])


def send_submission(agent, public_id="submission_sent", **values):
    """A pending submission of the agent."""
    about = {"kind": "skill", "slug": "sent", "content": "# Sent\n", "size": 7} | values
    about |= {"digest": "sha256:" + "0" * 64, "bytes_digest": "sha256:" + "1" * 64}
    return Submission.objects.create(agent=agent, public_id=public_id, **about)


def call(client, operation, **options):
    """The response to the example."""
    if operation.has_body:
        return getattr(client, operation.method.lower())(operation.url, operation.body, **options)
    return getattr(client, operation.method.lower())(operation.url, **options)
