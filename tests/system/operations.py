"""All operations as a list, valid requests to them, and the rows that these find.

Credentials and cursors are placeholders (`@name`) until a request is sent: they differ in each run.
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
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, ask_for_code
from tests.system.scale import scale

AGENTS, ENTRIES = 12, 40
SKILLS = [f"skill-{number}" for number in range(ENTRIES)]
PERSONAS = [f"persona-{number}" for number in range(ENTRIES)]
FULL = [f"@full{number:02}@" for number in range(AGENTS)]
# Rotating ends the token of its request, so each of these can be used once.
SPARE = [f"@spare{number:03}@" for number in range(scale(short=40, long=400))]
TOKEN_IDS = [f"@id{number:03}@" for number in range(scale(short=40, long=400))]
CURSOR, SINCE = "@cursor@", "@since@"
KINDS = ["skill", "persona"]
CODE = "WDJB-MJHT"
SCOPES = ["read", "install", "review"]
NAMES = ["Plain", "Ünïcödé \U0001f600", "a'b\"c\\d", "x" * 64, "<b>&amp;</b>"]
TEXTS = ["Plain", "Ünïcödé \U0001f600", "a'b\"c\\d", "tab\tand\nline", "x" * 64, "<b>&amp;</b>"]
LIST = {
    "q": ["skill", "does one thing well", '"one thing" -two or three', "ünïcödé"],
    "category": ["development", "writing"],
    "tag": ["pdf", "tag 1", "ünïcödé"],
    "runtime": ["python", "node"],
    "author": ["Someone", "No One"],
    "license": ["MIT", "none"],
    "limit": ["1", "2", "20", "100"],
    "cursor": [CURSOR],
}
SORTS = ["newest", "updated", "name"]
FILES = {"scripts/run.py": b"print(1)\n", "références/é #1.md": b"# One", "data.bin": bytes(99)}
FILE_DIGEST = {"digest": [content_digest(data) for data in FILES.values()]}


@dataclass(frozen=True)
class Operation:
    """Its fields and parameters, each with values that it accepts."""

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


def write_of(path, slugs, **fields):
    """A POST of what the agent has, or is to have."""
    return Operation(
        *("POST", f"/api/v1/agents/me/{path}"),
        fields={"slug": slugs, **fields},
        required=("slug",),
        is_protected=True,
    )


def read_of(path, **parameters):
    return Operation("GET", f"/api/v1/agents/me{path}", parameters=parameters, is_protected=True)


PAGE = {name: LIST[name] for name in ("limit", "cursor")}


OPERATIONS = [
    Operation(
        *("GET", "/api/v1/skills"),
        parameters=LIST | {"bundledIn": PERSONAS, "sort": [*SORTS, "downloads"]},
    ),
    Operation("GET", "/api/v1/skills/{slug}", slugs=SKILLS),
    Operation("GET", "/api/v1/skills/{slug}/SKILL.md", slugs=SKILLS),
    Operation("GET", "/api/v1/skills/{slug}/archive.zip", slugs=SKILLS),
    Operation("GET", "/api/v1/skills/{slug}/files/{path}", slugs=SKILLS, parameters=FILE_DIGEST),
    Operation(
        *("GET", "/api/v1/personas"),
        parameters=LIST
        | {"free": ["true", "false"], "minRating": ["1", "3.5", "5"], "skill": SKILLS}
        | {"sort": [*SORTS, "installs", "rating", "price"]},
    ),
    Operation("GET", "/api/v1/personas/{slug}", slugs=PERSONAS),
    Operation(
        *("GET", "/api/v1/personas/{slug}/reviews"),
        slugs=PERSONAS[:3],
        parameters=PAGE | {"rating": ["1", "5"], "sort": ["newest", "highest", "lowest"]},
    ),
    Operation(
        *("GET", "/api/v1/changes"),
        parameters={"since": [SINCE], "kind": KINDS, "limit": LIST["limit"]},
    ),
    Operation("GET", "/api/v1/facets", parameters={"kind": KINDS}, always=("kind",)),
    Operation("GET", "/api/v1"),
    Operation(
        *("POST", "/api/v1/agents/register"),
        fields={"name": NAMES, "handle": [], "description": TEXTS, "runtime": TEXTS},
    ),
    read_of(""),
    read_of("/limits"),
    read_of("/manifest", content=["true", "false"]),
    read_of("/skills", **PAGE),
    read_of("/personas", **PAGE),
    read_of("/reviews", **PAGE),
    read_of("/tokens"),
    Operation(
        *("PATCH", "/api/v1/agents/me"),
        fields={"name": NAMES, "description": TEXTS, "runtime": TEXTS},
        is_protected=True,
    ),
    Operation(
        *("POST", "/api/v1/agents/me/confirm-claim"),
        fields={"code": [CODE, CODE.lower()]},
        required=("code",),
        is_protected=True,
    ),
    write_of("skills/install", SKILLS, runtime=TEXTS),
    write_of("personas/install", PERSONAS, setActive=[True, False]),
    Operation(
        *("POST", "/api/v1/agents/me/reviews"),
        fields={"personaSlug": PERSONAS[:6], "rating": [1, 5, 4.5, 3.14], "comment": TEXTS},
        required=("personaSlug", "rating"),
        is_protected=True,
    ),
    Operation(
        *("DELETE", "/api/v1/agents/me/reviews/{personaSlug}"),
        slugs=PERSONAS[:3],
        is_protected=True,
    ),
    Operation(
        *("POST", "/api/v1/agents/me/reports"),
        fields={
            "kind": KINDS,
            "slug": [*SKILLS[:3], *PERSONAS[:3]],
            "reviewId": ["review_unknown"],
            "reason": ["malicious", "broken", "spam", "license", "other"],
            "comment": TEXTS,
        },
        required=("kind", "slug", "reason"),
        is_protected=True,
    ),
    *(write_of(f"skills/{verb}", SKILLS[:4]) for verb in ("update", "uninstall")),
    *(
        write_of(f"personas/{verb}", PERSONAS[:4])
        for verb in ("update", "activate", "deactivate", "uninstall")
    ),
    Operation(
        *("POST", "/api/v1/agents/me/tokens"),
        fields={"name": NAMES, "scopes": [["read"], SCOPES], "expiresInDays": [1, 365]},
        is_protected=True,
    ),
    Operation(
        *("POST", "/api/v1/agents/me/tokens/rotate"),
        fields={"graceSeconds": [0, 0, 600]},
        is_protected=True,
        callers=SPARE,
    ),
    Operation(
        *("DELETE", "/api/v1/agents/me/tokens/{tokenId}"),
        slugs=TOKEN_IDS,
        is_protected=True,
        callers=FULL[:1],
    ),
    Operation(
        *("POST", "/api/v1/tokens/revoke"),
        fields={"token": ["", "mkt_agent_" + "0" * 38, *TEXTS]},
        required=("token",),
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


def request(operation, *, slug="", file="scripts/run.py", parameters=(), body=b"", token=FULL[0]):
    """A request to the operation that is valid if its parts are."""
    path = operation.path.replace("{path}", quote(file))
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
    """A request that the operation accepts, or refuses only for the rows that it finds."""
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
        ask_for_code(agent)
        agent.claim.codes.update(
            code_digest=digest_of(CODE, agent.pk),
            code_expires_at=timezone.now() + timedelta(days=1),
        )
        for slug in SKILLS[:2]:
            SkillInstall.objects.install(agent, slug)
        for slug in PERSONAS[1:3]:
            PersonaInstall.objects.install(agent, slug)
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
