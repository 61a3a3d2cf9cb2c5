"""Everything that somebody can ask a marketplace for: routes, operations, tools and resources."""

import json
import re

from django.urls import URLPattern, get_resolver

from catalogue.models import FileContent, Persona, Skill
from importing.folders import as_stored
from interfaces.mcp.tools_list import TOOLS
from interfaces.urls import connector
from submissions.models import Submission
from tests.factories import review
from tests.registry import OPERATIONS, prepare

# Two entries hold it, and nothing else. Their slugs do not, because requests name those.
WORD = "quillwort"
# Only a pending submission holds it.
PENDING = "duckweed"
SKILL, PERSONA = "pdf-tables", "archivist"
FILE = "scripts/plant.py"
SAMPLES = {
    "slug": SKILL,
    "personaSlug": PERSONA,
    "number": "2",  # the text that holds the word
    "path": FILE,
    "part": "skills-0",
    "tokenId": "token_spare",
    "token_id": "token_spare",
    "submissionId": "submission_sent",
    "handle": "caller",
    "secret": "unknown",
    "connection_id": "1",
    "object_id": "1",
    "action": "withdraw",
}
ABOUT = {
    "title": f"The {WORD}",
    "description": f"Grows {WORD}.",
    "category": WORD,
    "tags": [WORD],
    "runtimes": [WORD],
    "author": WORD,
    "license": WORD,
    "version": WORD,
    "content": f"Water the {WORD}.",
}
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "walker", "version": "1"},
}
URIS = [
    "skill://agent-marketplace/SKILL.md",
    f"skill://skills/{SKILL}/SKILL.md",
    f"skill://skills/{SKILL}/{FILE}",
    f"skill://skills/{SKILL}/nothing.py",
    "skill://skills/pdf-table/SKILL.md",
]


def fill(agent):
    """A catalogue of which two entries hold the word; the agent has what operations need."""
    prepare(agent)
    skill, persona = Skill.objects.get(slug=SKILL), Persona.objects.get(slug=PERSONA)
    text = f"print({WORD!r})".encode()
    files = [as_stored(path, [text], is_executable=True) for path in (FILE, f"{WORD}.py")]
    skill.files = [*skill.files, *files]
    FileContent.objects.create(digest=skill.files[-1]["digest"], data=text)
    for entry in (skill, persona):
        for name, value in ABOUT.items():
            setattr(entry, name, value)
        entry.save()
    review(agent, persona, 4, f"Good for {WORD}.")
    text = f"---\nname: {SKILL}\ndescription: {PENDING}\n---\n\nThe {PENDING}.\n"
    Submission.objects.update(slug=SKILL, content=text, note=PENDING, base_number=2)


def requests():
    """`(method, path, body)` of all that there is, with slugs that exist and some that do not."""
    yield from requests_of(routes())
    for operation in OPERATIONS:
        yield operation.method, operation.url, operation.body
    for path in queries():
        yield "GET", path, None
    yield from messages_to("/mcp")


def requests_of(routes):
    for path in sorted({path for route in routes for path in paths_of(route)}):
        for method in ("GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE"):
            yield method, path, None


def messages_to(path):
    for number, (method, params) in enumerate(messages()):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        yield "POST", path, message


def requests_of_connectors():
    """What OAUTH=true adds."""
    added = [*get_resolver("connections.urls").url_patterns, *connector]
    yield from requests_of(routes(added))
    yield from messages_to("/mcp/oauth")


def routes(patterns=None, start=""):
    """The routes of the URLconf as regular expressions."""
    for pattern in patterns or get_resolver().url_patterns:
        route = start + pattern.pattern.regex.pattern.lstrip("^")
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from routes(pattern.url_patterns, route)


def paths_of(route):
    """The paths of a route, filled with samples; of both kinds of entries."""
    text = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", lambda match: f"<{match[1]}>", route)
    text = re.sub(r"\(\?:([^()|]*)(?:\|[^()]*)*\)", r"\1", text)  # the first alternative
    text = re.sub(r"\(\?!.*", "nothing", text)
    text = text.replace("\\Z", "").replace("$", "").replace("/?", "").replace("\\", "")
    for persona in (False, True):
        samples = SAMPLES | ({"slug": PERSONA} if persona or "personas/" in text else {})
        yield "/" + re.sub(r"<(\w+)>", lambda match: samples.get(match[1], "1"), text)  # noqa: B023


def queries():
    """Reads with a query, of what exists and of what nearly does."""
    yield from (
        *("/skills?q=water", "/personas?q=water&sort=name", "/suggest?q=qu", "/suggest?q=pdf"),
        *("/api/v1/skills?q=water&limit=1", "/api/v1/personas?free=true", "/skills/pdf-table"),
        *("/api/v1/skills/pdf-table", "/api/v1/changes?limit=1", "/api/v1/facets?kind=persona"),
        *(f"/api/v1/skills/{SKILL}/files/scripts/run.py?digest=sha256:0", "/skills?category=none"),
        *(f"/sitemap-{part}.xml" for part in ("pages", "skills-0", "personas-0")),
        *(f"/personas/{PERSONA}/versions/2", f"/skills/{SKILL}/files/{FILE}"),
        *(
            f"/skills/{SKILL}/versions/compare?from=1",
            f"/personas/{PERSONA}/versions/compare?from=1",
        ),
        *("/skill.md?raw", "/guide.md?raw", "/llms.txt?raw", "/readyz", "/healthz", "/metrics"),
        *(
            f"/git/{repository}.git/info/refs?service=git-upload-pack"
            for repository in ("catalogue", "me", f"skills/{SKILL}", f"personas/{PERSONA}")
        ),
    )


def messages():
    """MCP's requests: all tools with arguments that exist, all resources."""
    yield "initialize", INITIALIZE
    for method in ("tools/list", "resources/list", "resources/templates/list", "skills/list"):
        yield method, {}
    yield "prompts/list", {}
    for slug in (PERSONA, "archivis"):
        yield "prompts/get", {"name": slug}
    for uri in URIS:
        yield "resources/read", {"uri": uri}
        yield "skills/get", {"uri": uri}
    for name, tool in TOOLS.items():
        arguments = {
            argument: value
            for argument, value in {
                "slug": PERSONA if "persona" in name or "review" in name else SKILL,
                "personaSlug": PERSONA,
                "path": FILE,
                "kind": "skill",
                "version": 2,
                "reason": "spam",
                "rating": 4,
            }.items()
            if argument in tool.descriptions
        }
        yield "tools/call", {"name": name, "arguments": arguments}
        if "slug" in arguments:
            near = {**arguments, "slug": "pdf-table"}
            yield "tools/call", {"name": name, "arguments": near}


def body_of(body):
    return None if body is None else json.dumps(body)
