"""The eleven operations as a list, valid requests to them, and the rows that these find.

Credentials and cursors are placeholders (`@name`) until a request is sent: they differ in each run.
"""

import json
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import quote

from django.utils import timezone

from agents.models import AgentToken
from installs.models import PersonaInstall
from tests.factories import AgentFactory, PersonaFactory, SkillFactory

AGENTS, ENTRIES = 12, 40
SKILLS = [f"skill-{number}" for number in range(ENTRIES)]
PERSONAS = [f"persona-{number}" for number in range(ENTRIES)]
FULL = [f"@full{number:02}@" for number in range(AGENTS)]
CURSOR = "@cursor@"
CODE = "WDJB-MJHT"
TEXTS = ["Plain", "Ünïcödé \U0001f600", "a'b\"c\\d", "tab\tand\nline", "x" * 64, "<b>&amp;</b>"]
LIST = {
    "q": ["skill", "does one thing well", '"one thing" -two or three', "ünïcödé"],
    "category": ["development", "writing"],
    "tag": ["pdf", "tag 1", "ünïcödé"],
    "runtime": ["python", "node"],
    "author": ["Someone", "No One"],
    "limit": ["1", "2", "20", "100"],
    "cursor": [CURSOR],
}
SORTS = ["newest", "updated", "name"]


@dataclass(frozen=True)
class Operation:
    """Its fields and parameters, each with values that it accepts."""

    method: str
    path: str
    slugs: list = field(default_factory=list)
    parameters: dict = field(default_factory=dict)
    fields: dict = field(default_factory=dict)
    required: tuple = ()
    is_protected: bool = False

    @property
    def has_body(self):
        return self.method != "GET"


OPERATIONS = [
    Operation(
        *("GET", "/api/v1/skills"),
        parameters=LIST | {"bundledIn": PERSONAS, "sort": [*SORTS, "downloads"]},
    ),
    Operation("GET", "/api/v1/skills/{slug}", slugs=SKILLS),
    Operation(
        *("GET", "/api/v1/personas"),
        parameters=LIST
        | {"free": ["true", "false"], "minRating": ["1", "3.5", "5"], "skill": SKILLS}
        | {"sort": [*SORTS, "installs", "rating", "price"]},
    ),
    Operation("GET", "/api/v1/personas/{slug}", slugs=PERSONAS),
    Operation(
        *("POST", "/api/v1/agents/register"),
        fields={"name": TEXTS, "handle": [], "description": TEXTS, "runtime": TEXTS},
    ),
    Operation("GET", "/api/v1/agents/me", is_protected=True),
    Operation(
        *("PATCH", "/api/v1/agents/me"),
        fields={"name": TEXTS, "description": TEXTS, "runtime": TEXTS},
        is_protected=True,
    ),
    Operation(
        *("POST", "/api/v1/agents/me/confirm-claim"),
        fields={"code": [CODE, CODE.lower()]},
        required=("code",),
        is_protected=True,
    ),
    Operation(
        *("POST", "/api/v1/agents/me/skills/install"),
        fields={"slug": SKILLS, "runtime": TEXTS},
        required=("slug",),
        is_protected=True,
    ),
    Operation(
        *("POST", "/api/v1/agents/me/personas/install"),
        fields={"slug": PERSONAS, "setActive": [True, False]},
        required=("slug",),
        is_protected=True,
    ),
    Operation(
        *("POST", "/api/v1/agents/me/reviews"),
        fields={"personaSlug": PERSONAS[:6], "rating": [1, 5, 4.5, 3.14], "comment": TEXTS},
        required=("personaSlug", "rating"),
        is_protected=True,
    ),
]


@dataclass
class Request:
    """A request in its parts; `raw` is what is sent."""

    method: str
    target: str
    headers: list
    body: bytes = b""
    version: str = "HTTP/1.1"

    def raw(self, placeholders):
        lines = [f"{self.method} {self.target} {self.version}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        head = "\r\n".join(lines) + "\r\n\r\n"
        for name, text in placeholders.items():
            head = head.replace(name, text)
        return head.encode("latin-1", "replace") + self.body


def request(operation, *, slug="", parameters=(), body=b"", token=FULL[0]):
    """A request to the operation that is valid if its parts are."""
    path = operation.path.replace("{slug}", slug)
    pairs = [f"{escaped(name)}={escaped(value)}" for name, value in parameters]
    headers = [("Host", "localhost")]
    if operation.is_protected:
        headers.append(("Authorization", f"Bearer {token}"))
    if operation.has_body or body:
        headers += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    target = path + ("?" + "&".join(pairs) if pairs else "")
    return Request(operation.method, target, headers, body)


def escaped(text):
    return text if text == CURSOR else quote(text, safe="", errors="surrogatepass")


def valid_request(rng, operation):
    """A request that the operation accepts, or refuses only for the rows that it finds."""
    kept = [n for n in operation.fields if n in operation.required or rng.random() < 0.5]
    body = {name: rng.choice(operation.fields[name]) for name in kept if operation.fields[name]}
    chosen = rng.sample(
        sorted(operation.parameters), min(len(operation.parameters), rng.randrange(3))
    )
    return request(
        operation,
        slug=rng.choice(operation.slugs or [""]),
        parameters=[(name, rng.choice(operation.parameters[name])) for name in chosen],
        body=json.dumps(body).encode() if operation.has_body else b"",
        token=rng.choice(FULL),
    )


def populate():
    """Create rows for every operation; returns the credential for each placeholder."""
    skills = [
        SkillFactory(
            slug=slug, title=f"{TEXTS[n % 5]} {n}", tags=[f"tag {n % 3}"], runtimes=["python"]
        )
        for n, slug in enumerate(SKILLS)
    ]
    for n, slug in enumerate(PERSONAS):
        PersonaFactory(slug=slug, skills=skills[n : n + 3], price_cents=0 if n % 5 else n)
    agents = [AgentFactory(handle=f"caller-{number}") for number in range(AGENTS)]
    for agent in agents:
        agent.claim.code_digest = agent.claim.digest_of(CODE)
        agent.claim.code_expires_at = timezone.now() + timedelta(days=1)
        agent.claim.save()
        for slug in PERSONAS[1:3]:
            PersonaInstall.objects.install(agent, slug)
    return {name: agent.token.text for name, agent in zip(FULL, agents, strict=True)} | narrow(
        agents
    )


def narrow(agents):
    """Tokens with some of the scopes, or none."""
    tokens = {
        f"@{scope}@": AgentToken.objects.issue(agents[0], [scope])
        for scope in ("read", "install", "review")
    }
    tokens["@revoked@"] = AgentToken.objects.issue(agents[0])
    tokens["@revoked@"].revoke()
    tokens["@expired@"] = AgentToken.objects.issue(agents[0], expires_at=timezone.now())
    suspended = AgentFactory(handle="suspended")
    suspended.suspend()
    return {name: token.text for name, token in tokens.items()} | {
        "@suspended@": suspended.token.text
    }
