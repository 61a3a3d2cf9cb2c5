"""Finding and reading: what needs no token."""

from base64 import b64encode

from catalogue.serializers.files import TEXT_FILE
from interfaces.mcp.tool import PAGE, Tool, json_of

SEARCH = {
    "query": "What you need, in your own words; left out: the most used first",
    "category": "Only this category, such as `development`; compared exactly",
    "tag": "Only what has all of these tags; compared exactly",
    "runtime": "Only what names this runtime, such as `python`; compared exactly",
    "author": "Only by this author; compared exactly",
    "license": "Only under this license, such as `MIT`; compared exactly",
    **PAGE,
}
VERSION = "The `number` of an earlier version, from list_versions; by default, the current text"
SORT = "The order; left out: `relevance` where there is a `query`, else the most used first"


def files_in(response):
    return {"files": json_of(response)["files"]}


def file_in(response):
    """A file as MCP shows a resource: `text` where it is one, otherwise `blob` in Base64."""
    media_type = response.headers["Content-Type"].partition(";")[0]
    data = response.content
    content = (
        {"text": data.decode()} if media_type == TEXT_FILE else {"blob": b64encode(data).decode()}
    )
    digest = response.headers["ETag"].strip('"')
    return {"mediaType": media_type, "size": len(data), "digest": digest, **content}


TOOLS = {
    "search_skills": Tool(
        "Search skills",
        "Find skills: instructions for one kind of task, as SKILL.md files. Returns `results`, the "
        "best first, each with its `slug`, and `count`, how many match in all. `contextTokens` is "
        "what a skill's text costs your context. Needs no token.",
        {**SEARCH, "bundledIn": "Only what comes with the persona of this `slug`", "sort": SORT},
        operation_id="list_skills",
    ),
    "get_skill": Tool(
        "Read a skill",
        "One skill with its whole SKILL.md text in `content`, which is what to follow, the `files` "
        "beside it (get_skill_file reads one), and the `personas` that bundle it. With `version`, "
        "an earlier text, without `personas`. What you pinned is in my_manifest; this tool does "
        "not look at your pins. Reading does not install the skill. Needs no token.",
        {"slug": "The skill's `slug`, from search_skills", "version": VERSION},
        at_version="get_skill_version",
    ),
    "list_skill_files": Tool(
        "List a skill's files",
        "The `files` that a skill holds beside its SKILL.md, each with its `path` in the skill's "
        "folder, `size`, `digest` and the `url` of its bytes; with `version`, the files of an "
        "earlier version. Needs no token.",
        {"slug": "The skill's `slug`", "version": VERSION},
        content_of=files_in,
        operation_id="get_skill",
        at_version="get_skill_version",
    ),
    "get_skill_file": Tool(
        "Read a skill's file",
        "One file of a skill: its `text`, or its bytes in Base64 as `blob`, with `size` and "
        "`digest`. Read one when the SKILL.md tells you to use it. If you read an earlier version "
        "of the SKILL.md, give its `version` here too. Needs no token.",
        {
            "slug": "The skill's `slug`",
            "path": "The file's `path`, from list_skill_files",
            "version": VERSION,
        },
        content_of=file_in,
        at_version="get_skill_version_file",
    ),
    "list_versions": Tool(
        "List the versions of a skill or a persona",
        "All published versions of one skill or persona, the newest first. Each has its `number`, "
        "which is the `version` to read, install, update to or pin, and its `digest`. Never use a "
        "version with a `recall`, which says why. Needs no token.",
        {"kind": "What it is", "slug": "The `slug` of the skill or the persona", **PAGE},
    ),
    "list_facets": Tool(
        "List what there is to filter by",
        "The categories, runtimes, tags, authors and licenses of the published skills or personas, "
        "each with the number of them, the most common first, at most 100 each. Needs no token.",
        {"kind": "Of `skill`s or of `persona`s"},
    ),
    "list_changes": Tool(
        "List what has changed",
        "Which skills and personas were published, updated or withdrawn, each once at its last "
        "change, the oldest first, with its `digest`. Keep `cursor`: as `since` it returns what "
        "has changed after that. Needs no token.",
        {
            "since": "The `cursor` or the `next` of an earlier response; left out: from the start",
            "kind": "Only `skill`s or only `persona`s",
            "limit": PAGE["limit"],
        },
    ),
    "search_personas": Tool(
        "Search personas",
        "Find personas: roles to work in, each a prompt that bundles skills. Returns `results`, "
        "the best first, each with its `slug`, `skills`, rating and price (only what `isFree` can "
        "be installed here), and `count`, how many match in all. Needs no token.",
        {
            **SEARCH,
            "skill": "Only what bundles the skill of this `slug`",
            "free": "`true`: only free ones, `false`: only priced ones",
            "minRating": "Only with this average rating or better",
            "sort": SORT,
        },
        operation_id="list_personas",
    ),
    "get_persona": Tool(
        "Read a persona",
        "One persona with its prompt in `content` (null while it has a price), the `skills` that "
        "it bundles and its `ratings`. With `version`, an earlier prompt, without `skills` and "
        "`ratings`. What you pinned is in my_manifest; this tool does not look at your pins. "
        "Reading does not install the persona. Needs no token.",
        {"slug": "The persona's `slug`, from search_personas", "version": VERSION},
        at_version="get_persona_version",
    ),
}
