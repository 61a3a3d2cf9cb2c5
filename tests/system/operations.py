"""All operations of the registry, valid requests to them, and rows for these to find.

Credentials and cursors are placeholders (`@name`) until a request is sent, because they differ in
each run.
"""

import json
import re
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import quote

from django.utils import timezone

from agents.models import AgentToken
from agents.models.claim_codes import digest_of
from catalogue.models import content_digest
from installs.models import PersonaInstall, SkillInstall
from tests import registry
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, ask_for_code
from tests.registry import CODE
from tests.system.scale import scale

AGENTS, ENTRIES = 12, 40
SKILLS = [f"skill-{number}" for number in range(ENTRIES)]
PERSONAS = [f"persona-{number}" for number in range(ENTRIES)]
FULL = [f"@full{number:02}@" for number in range(AGENTS)]
# Rotating ends the token of its request, so each of these can be used once.
SPARE = [f"@spare{number:03}@" for number in range(scale(short=40, long=400))]
TOKEN_IDS = [f"@id{number:03}@" for number in range(scale(short=40, long=400))]
SUBMISSION_IDS = [f"submission_{number:02}" for number in range(40)]
CURSOR, SINCE = "@cursor@", "@since@"
KINDS = ["skill", "persona"]
SCOPES = ["read", "install", "review"]
NAMES = ["Plain", "Ünïcödé \U0001f600", "a'b\"c\\d", "x" * 64, "<b>&amp;</b>"]
TEXTS = ["Plain", "Ünïcödé \U0001f600", "a'b\"c\\d", "tab\tand\nline", "x" * 64, "<b>&amp;</b>"]
FILES = {"scripts/run.py": b"print(1)\n", "références/é #1.md": b"# One", "data.bin": bytes(99)}
SUBMITTED = {
    "content": [f"---\nname: {name}\n---\n\nDo it.\n" for name in ("fuzz-1", "fuzz-2", *TEXTS)],
    "files": [[{"path": "run.py", "content": "cHJpbnQ=", "encoding": "base64"}]],
    "baseNumber": [1, 2],
}
# By the name of a parameter or field; the others take values from their schema.
PARAMETERS = {
    "q": ["skill", "does one thing well", '"one thing" -two or three', "ünïcödé"],
    "category": ["development", "writing"],
    "tag": ["pdf", "tag 1", "ünïcödé"],
    "runtime": ["python", "node"],
    "author": ["Someone", "No One"],
    "license": ["MIT", "none"],
    "bundledIn": PERSONAS,
    "skill": SKILLS,
    "minRating": ["1", "3.5", "5"],
    "rating": ["1", "5"],
    "limit": ["1", "2", "20", "100"],
    "cursor": [CURSOR],
    "since": [SINCE],
    "baseNumber": ["1"],
    "digest": [content_digest(data) for data in FILES.values()],
}
FIELDS = {
    "name": NAMES,
    "handle": [],
    "code": [CODE, CODE.lower()],
    "kind": KINDS,
    "personaSlug": PERSONAS[:6],
    "reviewId": ["review_unknown"],
    "rating": [1, 5, 4.5, 3.14],
    "scopes": [["read"], SCOPES],
    "expiresInDays": [1, 365],
    "graceSeconds": [0, 0, 600],
    "version": [1],
    **SUBMITTED,
    "token": ["", "mkt_agent_" + "0" * 38, *TEXTS],
}
SYNONYMS = {"query", "search"}  # of `q`, which may appear once
CALLERS = {"rotate_token": SPARE, "revoke_token": FULL[:1]}


@dataclass(frozen=True)
class HttpOperation:
    """Its fields and parameters, each with valid values."""

    method: str
    path: str
    slugs: list = field(default_factory=list)
    parameters: dict = field(default_factory=dict)
    fields: dict = field(default_factory=dict)
    required: tuple = ()  # of the fields
    always: tuple = ()  # of the parameters
    is_protected: bool = False
    callers: list = field(default_factory=FULL.copy)

    @property
    def has_body(self):
        return self.method in {"POST", "PATCH"}


def operation_of(entry):
    """An operation of the registry, with values for everything in its description."""
    parameters = {name: schema for name, schema in entry.parameters.items() if name not in SYNONYMS}
    fields = entry.schema.get("properties", {})
    return HttpOperation(
        *(entry.method, entry.route, slugs_in(entry.route)),
        parameters={
            name: PARAMETERS.get(name) or [as_text(value) for value in values_of(schema)]
            for name, schema in parameters.items()
        },
        fields={
            name: slugs_for(entry.name) if name == "slug" else FIELDS.get(name, values_of(schema))
            for name, schema in fields.items()
        },
        required=tuple(entry.schema.get("required", ())),
        always=entry.required_parameters,
        is_protected=entry.scope is not None,
        callers=CALLERS.get(entry.name, FULL),
    )


def values_of(schema):
    """Values that a schema accepts."""
    if "enum" in schema:
        return [value for value in schema["enum"] if value != "relevance"]  # needs words
    return [True, False] if "boolean" in schema["type"] else TEXTS


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value)


def slugs_in(route):
    """A name for a path, mostly of something that exists."""
    if "{tokenId}" in route:
        return TOKEN_IDS
    if "{submissionId}" in route:
        return SUBMISSION_IDS
    if "{personaSlug}" in route or route.endswith("/reviews"):
        return PERSONAS[:3]
    return SKILLS if "/skills/" in route else PERSONAS


def slugs_for(name):
    """A name for a body: anything to install, otherwise something that an agent may have."""
    number = ENTRIES if name.startswith("install") else 4
    kinds = {"skill": SKILLS, "persona": PERSONAS}
    own = [slugs for kind, slugs in kinds.items() if name.endswith(kind)]
    return [slug for slugs in own or kinds.values() for slug in slugs[:number]]


OPERATIONS = [operation_of(entry) for entry in registry.OPERATIONS]


@dataclass
class Request:
    """A request in its parts; `raw` is sent."""

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


def request(operation, *, slug="", file="scripts/run.py", parameters=(), body=b"", token=FULL[0]):
    """A request to the operation that is valid if its parts are."""
    path = operation.path.replace("{path}", quote(file)).replace("{number}", "1")
    path = re.sub(r"\{\w+\}", lambda _: slug, path)
    pairs = [f"{escaped(name)}={escaped(value)}" for name, value in parameters]
    headers = [("Host", "localhost")]
    if operation.is_protected:
        headers.append(("Authorization", f"Bearer {token}"))
    if operation.has_body or body:
        headers += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    target = path + ("?" + "&".join(pairs) if pairs else "")
    return Request(operation.method, target, headers, body)


def escaped(text):
    return text if text in {CURSOR, SINCE} else quote(text, safe="", errors="surrogatepass")


def valid_request(rng, operation):
    """A request that the operation accepts, or refuses only because of the rows that exist."""
    kept = [n for n in operation.fields if n in operation.required or rng.random() < 0.5]
    body = {name: rng.choice(operation.fields[name]) for name in kept if operation.fields[name]}
    chosen = rng.sample(
        sorted(operation.parameters), min(len(operation.parameters), rng.randrange(3))
    )
    chosen = sorted({*chosen, *operation.always})
    return request(
        operation,
        slug=rng.choice(operation.slugs or [""]),
        file=rng.choice(list(FILES)),
        parameters=[(name, rng.choice(operation.parameters[name])) for name in chosen],
        body=json.dumps(body).encode() if operation.has_body else b"",
        token=rng.choice(operation.callers),
    )


def populate():
    """Create rows for every operation; returns the text for each placeholder."""
    skills = [
        SkillFactory(
            slug=slug,
            title=f"{TEXTS[n % 5]} {n}",
            tags=[f"tag {n % 3}"],
            runtimes=["python"],
            files=FILES,
        )
        for n, slug in enumerate(SKILLS)
    ]
    for n, slug in enumerate(PERSONAS):
        PersonaFactory(slug=slug, skills=skills[n : n + 3], price_cents=0 if n % 5 else n)
    agents = [AgentFactory(handle=f"caller-{number}") for number in range(AGENTS)]
    for agent in agents:
        registry.allow_all(agent)
        ask_for_code(agent)
        agent.claim.codes.update(
            code_digest=digest_of(CODE, agent.pk),
            code_expires_at=timezone.now() + timedelta(days=1),
        )
        for slug in SKILLS[:2]:
            SkillInstall.objects.install(agent, slug)
        for slug in PERSONAS[1:3]:
            PersonaInstall.objects.install(agent, slug)
    for number, public_id in enumerate(SUBMISSION_IDS):
        registry.send_submission(agents[number % AGENTS], public_id, slug=f"sent-{number}")
    full = dict(zip(FULL, (agent.token.text for agent in agents), strict=True))
    spare = {name: AgentToken.objects.issue(agents[1]).text for name in SPARE}
    ids = {name: AgentToken.objects.issue(agents[0]).public_id for name in TOKEN_IDS}
    return full | spare | ids | narrow(agents)


def narrow(agents):
    """Tokens with some of the scopes, or none."""
    tokens = {f"@{scope}@": AgentToken.objects.issue(agents[0], [scope]) for scope in SCOPES}
    tokens["@revoked@"] = AgentToken.objects.issue(agents[0])
    tokens["@revoked@"].revoke()
    tokens["@expired@"] = AgentToken.objects.issue(agents[0], expires_at=timezone.now())
    suspended = AgentFactory(handle="suspended")
    suspended.suspend()
    return {name: token.text for name, token in tokens.items()} | {
        "@suspended@": suspended.token.text
    }
