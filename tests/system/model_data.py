"""The data of the model test: a small catalogue, and values for requests to it."""

from tests.factories import ABOUT, ABOUT_SKILL
from tests.registry import OPERATION

API = "/api/v1"
# The model's names of operations, if they differ from the registry's.
NAMES = {
    "register": "register_agent",
    "me": "get_profile",
    "update_me": "update_profile",
    "review": "submit_review",
    "report": "submit_report",
    "manifest": "get_manifest",
    "limits": "get_limits",
    "delete_token": "revoke_token",
    "facets": "list_facets",
    "own_skills": "list_own_skills",
    "own_personas": "list_own_personas",
    "own_reviews": "list_own_reviews",
    "own_submissions": "list_submissions",
    "persona_reviews": "list_reviews",
}
VERSIONS = {"list_skill_versions", "list_persona_versions"}
BELOW = {"persona_reviews", *VERSIONS}  # the lists below an entry
# The statuses that a run at full length must have seen. tests/api/test_scopes.py sees 401 and 403
# of each operation.
REACHED = {
    "register": {201, 409},
    "me": {200},
    "update_me": {200},
    "install_skill": {201, 404, 409},
    "install_persona": {201, 402, 404, 409},
    "review": {200, 201, 400, 404},
    "delete_review": {200, 404},
    "uninstall_skill": {200, 404},
    "uninstall_persona": {200, 404},
    "activate_persona": {200, 404},
    "deactivate_persona": {200, 404},
    "update_skill": {200, 404},
    "update_persona": {200, 404},
    "pin_skill": {200, 404},
    "pin_persona": {200, 404},
    "unpin_skill": {200, 404},
    "unpin_persona": {200, 404},
    "manifest": {200, 304},
    "limits": {200},
    "list_tokens": {200},
    "create_token": {201, 409},
    "rotate_token": {201, 409},
    "delete_token": {200, 404},
    "revoke_leaked_token": {200},
    "report": {200, 201, 404},
    "facets": {200},
    "submit": {200, 201, 400, 409},
    "withdraw_submission": {200, 404, 409},
    "own_submissions": {200},
    "submission": {200, 404},
    "changes": {200},
    "detail": {200, 404},
    "version": {200, 304, 404},
    "list_skills": {200},
    "list_personas": {200},
    "own_skills": {200},
    "own_personas": {200},
    "own_reviews": {200},
    "persona_reviews": {200, 404},
    **{name: {200, 304, 404} for name in sorted(VERSIONS)},
}
ENTRIES = {"detail", "changes", "version", "submission"}  # compared separately
OPERATIONS = {name: OPERATION[NAMES.get(name, name)] for name in REACHED.keys() - ENTRIES}
WORDS = ["lantern", "orbit", "velvet"]
TAGS = ["fast", "files", "quiet"]
RUNTIMES = ["python", "node"]
TITLES = ["Orbit", "orbit", "Velvet", "amber", "Copper Lantern"]  # two tie without case
SLUGS = {
    "skills": ["amber-lantern", "brass", "copper-velvet", "dune", "ember"],
    "personas": ["ember", "falcon", "grey-orbit", "heron", "iris"],  # one is also a skill's slug
}
NEW_SLUGS = {"skill": ["fern", "gravel-path"], "persona": ["jade"]}  # which agents submit
FIRST_SUBMITTED = [("skill", "fern"), ("persona", "jade"), ("persona", "ember")]
MAX_PENDING = 3  # submissions of everybody
MAX_HIDDEN = 2  # entries of a kind that staff hide, so that enough is left to install
REJECTIONS = ["Name its source.", "é" * 1000]
BUNDLES = [[0, 1], [1, 2], [], [3], [0, 1, 2, 3, 4]]
PRICES = [0, 0, 0, 500, 0]
STATUSES = ["published", "published", "published", "published", "draft"]
UNKNOWN = "nothing-here"
MESSAGES = ["It reads scans only.", "é" * 1000]  # of deprecations
REASONS = ["", "It sends what it reads elsewhere."]
# Two of the large ones exceed a manifest.
TEXTS = {
    "first": "Do it.",
    "second": "Do it differently.",
    "third": "Do it anew.",
    "large": "é" * 2**21,
}
# The frontmatter of a persona with a text. One has the prompt of another that has none.
FRONTMATTER = {
    "third": "---\nname: any\ntools: Read, Grep\n---\n\n",
    "first with tools": '---\ntools: [Read]\nmodel: "x"\n---\n',
}
TEXTS |= {"first with tools": TEXTS["first"]}
# What the API shows of it.
TOOLS = {"": None, "third": ["Read", "Grep"], "first with tools": ["Read"]}
TOOLS = {FRONTMATTER.get(name, ""): tools for name, tools in TOOLS.items()}
# The later texts of some entries; None repeats the first one.
LATER = {
    0: ["Do it as before.", None, "Do it as before."],
    1: ["Do it at last."],
    2: ["Do it as before."],
}
RECALLED = 1  # whose first text is recalled
RECALL_REASONS = ["It deletes logs.", "é" * 1000]
NO_NUMBERS = ["0", "01", "-1", "1.0", "x", "٣", "2147483648", "9" * 20]  # of versions

# The installs of each of the first agents, which may have uninstalled and reinstalled them.
START = [
    ("install_skill", {"slug": "brass", "version": 1}),  # recalled
    ("install_persona", {"slug": "falcon", "version": 1}),
    *(("install_skill", {"slug": slug}) for slug in ("brass", "dune")),
    *(("uninstall_skill", {"slug": slug}) for slug in ("brass", "dune", "dune")),
    ("install_skill", {"slug": "brass"}),
    ("install_skill", {"slug": "amber-lantern", "version": 1}),
    *((f"{verb}_skill", {"slug": "copper-velvet", "version": 1}) for verb in ("install", "unpin")),
    ("update_skill", {"slug": "brass", "version": 1}),
    *(("install_persona", {"slug": slug, "setActive": True}) for slug in ("falcon", "ember")),
    ("activate_persona", {"slug": "falcon"}),
    ("me", None),
    ("review", {"personaSlug": "falcon", "rating": 4}),
    *[("uninstall_persona", {"slug": "falcon"})] * 2,
    *(("deactivate_persona", {"slug": slug}) for slug in ("falcon", "ember")),
    ("activate_persona", {"slug": "ember"}),
    ("pin_persona", {"slug": "ember", "version": 1}),
    *[("report", {"kind": "skill", "slug": "brass", "reason": "broken"})] * 2,
]


SHARED_FILTERS = {
    "q": [*WORDS, "orbit files", "nothing"],
    "category": ["data", "Writing", "nothing"],
    "tag": [["fast"], ["files", "FAST"], ["nothing"]],
    "runtime": [*RUNTIMES, "nothing"],
    "author": ["Ada", "ada"],
    "license": ["MIT", "mit", "CC0-1.0"],
}
# By the operation of the list.
FILTERS = {
    "list_skills": {**SHARED_FILTERS, "bundledIn": [*SLUGS["personas"], UNKNOWN]},
    "list_personas": {
        **SHARED_FILTERS,
        "skill": [*SLUGS["skills"], UNKNOWN],
        "free": ["true", "false"],
        "minRating": ["1", "2.5", "4.67"],
    },
    "persona_reviews": {"rating": ["1", "2", "3", "4", "5"]},
}
SORTS = {
    "list_skills": ["downloads", "newest", "updated", "name"],
    "list_personas": ["installs", "newest", "updated", "name", "rating", "price"],
    "persona_reviews": ["newest", "highest", "lowest"],
}


def content(kind, slug, text):
    """The text as a prompt, or in a valid SKILL.md, so that it is served unchanged."""
    if kind == "personas":
        return text
    return f"---\nname: {slug}\ndescription: Does it.\n---\n{text}"


def submitted_file(slug, text, *, license_name):
    """The file that an agent submits. Without a license, a skill's is like `content`."""
    line = f"license: {license_name}\n" if license_name else ""
    return f"---\nname: {slug}\n{line}description: Does it.\n---\n{TEXTS[text]}"


def head_of(text):
    """The frontmatter of a file, with its two lines of ---; or ""."""
    end = text.find("\n---\n") if text.startswith("---\n") else -1
    return "" if end < 0 else text[: end + len("\n---\n")]


def fields_of(text):
    """The fields of a file's frontmatter."""
    lines = (line.partition(": ") for line in head_of(text).splitlines())
    return {key: value for key, colon, value in lines if colon}


def parts(entry, text):
    """The values of an entry with a text of TEXTS, by name, or with the text of a file."""
    if text in TEXTS:
        head = FRONTMATTER.get(text, "")
        text = content(entry.kind, entry.slug, TEXTS[text])
    elif entry.kind == "personas":
        # The frontmatter of `third` has the empty line below it.
        head = next((head for head in FRONTMATTER.values() if text.startswith(head)), head_of(text))
        text = text.removeprefix(head)
    return {"content": text} | ({"frontmatter": head} if entry.kind == "personas" else {})


def fields(kind, number):
    """The fields that staff write and a list shows unchanged."""
    return (ABOUT_SKILL if kind == "skills" else ABOUT) | {
        "slug": SLUGS[kind][number],
        "title": TITLES[number],
        "description": f"{WORDS[number % 3]}, {WORDS[number // 2]}" if number else "",
        "category": ("data", "writing")[number % 2],
        "tags": TAGS[: number % 4],
        "runtimes": RUNTIMES[number % 3 :],
        "author": ("", "Ada")[number % 2],
        "version": f"1.{number}0",
        "license": ("MIT", "CC0-1.0", "")[number % 3],
    }
