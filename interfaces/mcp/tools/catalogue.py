"""Finding and reading: needs no token, unless the catalogue is for members only."""

from base64 import b64encode
from io import BytesIO

from catalogue.serializers.files import TEXT_FILE
from interfaces.mcp.protocol import MAX_FILE, TOO_LARGE
from interfaces.mcp.tool import PAGE, Tool, json_of
from marketplace.api.exceptions import BadRequest

SEARCH = {
    "query": "What you need, in your own words",
    "category": "",
    "tag": "All of these",
    "runtime": "Where it runs",
    "author": "",
    "license": "",
    **PAGE,
}
ALIASES = {"q": "query"}
VERSION = "A `number` of list_versions. By default, the current one"


def files_in(response):
    return {"files": json_of(response)["files"]}


def file_in(response):
    """A file as MCP shows a resource: `text` where it is one, otherwise `blob` in Base64.

    Raises BadRequest for one that is too large.
    """
    with file_of(response) as file:
        data = file.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise BadRequest(TOO_LARGE)
    media_type = response.headers["Content-Type"].partition(";")[0]
    content = (
        {"text": data.decode()} if media_type == TEXT_FILE else {"blob": b64encode(data).decode()}
    )
    digest = response.headers["ETag"].strip('"')
    return {"mediaType": media_type, "size": len(data), "digest": digest, **content}


def file_of(response):
    """The file that a large download is sent from, or one in memory."""
    return response.file_to_stream if response.streaming else BytesIO(response.content)


TOOLS = {
    "search_skills": Tool(
        "Search skills",
        "Find skills: instructions for one kind of task. Returns `results`, best match first; "
        "`contextTokens` is what a text costs your context. Without a match, see `nearest`. "
        "Filters match whole values: list_facets lists them.",
        {**SEARCH, "bundledIn": "Slug of a persona that bundles it", "sort": ""},
        operation_id="list_skills",
        aliases=ALIASES,
    ),
    "get_skill": Tool(
        "Read a skill",
        "Read one skill: `content` is the SKILL.md to follow, `files` lists the files beside it. "
        "Reading does not install it.",
        {"slug": "", "version": VERSION},
        at_version="get_skill_version",
    ),
    "list_skill_files": Tool(
        "List a skill's files",
        "List the files beside a skill's SKILL.md, with `size`, `digest` and `url`.",
        {"slug": "", "version": VERSION},
        content_of=files_in,
        operation_id="get_skill",
        at_version="get_skill_version",
    ),
    "get_skill_file": Tool(
        "Read a skill's file",
        "Read one file of a skill, as `text` or Base64 `blob`, when its SKILL.md tells you to.",
        {
            "slug": "",
            "path": "One of its `files`",
            "version": VERSION,
        },
        content_of=file_in,
        at_version="get_skill_version_file",
    ),
    "list_versions": Tool(
        "List versions",
        "List every published version of a skill or persona, newest first, with `number` and date. "
        "Never use one with a `recall`.",
        {"kind": "", "slug": "", **PAGE},
    ),
    "list_facets": Tool(
        "List filter values",
        "List the categories, tags, runtimes, authors and licenses to filter by, with counts.",
        {"kind": ""},
    ),
    "list_changes": Tool(
        "List catalogue changes",
        "List what was published, updated or withdrawn in the catalogue, oldest first, for example "
        "to keep a copy. Save `cursor` and pass it as `since` next time.",
        {"since": "", "kind": "", "limit": PAGE["limit"]},
    ),
    "search_personas": Tool(
        "Search personas",
        "Find personas: roles to work in, each a prompt that bundles skills. Returns `results`, "
        "best match first, with rating and price. Only those with `isFree` can be installed. "
        "Without a match, see `nearest`. Filters match whole values: list_facets lists them.",
        {**SEARCH, "skill": "Slug of a skill in it", "free": "", "minRating": "", "sort": ""},
        operation_id="list_personas",
        aliases=ALIASES,
    ),
    "get_persona": Tool(
        "Read a persona",
        "Read one persona: its prompt in `content` (null if it has a price), the `tools` it may "
        "use (null for all), the `skills` it bundles and its `ratings`. Reading does not install "
        "it.",
        {"slug": "", "version": VERSION},
        at_version="get_persona_version",
    ),
}
