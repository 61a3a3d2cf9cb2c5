"""The data of the model test: a small catalogue, and the values of requests to it."""

from hypothesis import strategies as st

from tests.factories import ABOUT, ABOUT_SKILL
from tests.registry import OPERATION
from tests.system.model_validation import SCOPES

API = "/api/v1"
# The model's name of an operation, where the registry's is another one.
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
    "persona_reviews": "list_reviews",
}
VERSIONS = {"list_skill_versions", "list_persona_versions"}
BELOW = {"persona_reviews", *VERSIONS}  # the lists below an entry
# The statuses that a run of full length must have seen.
REACHED = {
    "register": {201, 400, 409},
    "me": {200, 401, 403},
    "update_me": {200, 400, 401},
    "install_skill": {201, 400, 401, 403, 404, 409},
    "install_persona": {201, 400, 401, 402, 403, 404, 409},
    "review": {200, 201, 400, 401, 403, 404},
    "delete_review": {200, 401, 403, 404},
    "uninstall_skill": {200, 400, 401, 403, 404},
    "uninstall_persona": {200, 400, 401, 403, 404},
    "activate_persona": {200, 400, 401, 403, 404},
    "deactivate_persona": {200, 400, 401, 403, 404},
    "update_skill": {200, 400, 401, 403, 404},
    "update_persona": {200, 400, 401, 403, 404},
    "pin_skill": {200, 400, 401, 403, 404},
    "pin_persona": {200, 400, 401, 403, 404},
    "unpin_skill": {200, 400, 401, 403, 404},
    "unpin_persona": {200, 400, 401, 403, 404},
    "manifest": {200, 304, 400, 401, 403},
    "limits": {200, 401, 403},
    "confirm_claim": {200, 400, 401, 403, 409, 410},
    "list_tokens": {200, 401, 403},
    "create_token": {201, 400, 401, 403, 409},
    "rotate_token": {201, 400, 401, 403, 409},
    "delete_token": {200, 401, 403, 404},
    "revoke_leaked_token": {200, 400},
    "report": {200, 201, 400, 401, 403, 404},
    "facets": {200, 400},
    "changes": {200},
    "detail": {200, 404},
    "list_skills": {200, 400},
    "list_personas": {200, 400},
    "own_skills": {200, 400, 401, 403},
    "own_personas": {200, 400, 401, 403},
    "own_reviews": {200, 400, 401, 403},
    "persona_reviews": {200, 400, 404},
    **{name: {200, 400, 404} for name in sorted(VERSIONS)},
}
ENTRIES = {"detail", "changes"}  # compared in ways of their own
LISTS = {"list_skills", "list_personas", "own_skills", "own_personas", "own_reviews", *BELOW}
OPERATIONS = {name: OPERATION[NAMES.get(name, name)] for name in REACHED.keys() - ENTRIES}
ROUTES = OPERATIONS.keys() - LISTS
WORDS = ["lantern", "orbit", "velvet"]
TAGS = ["fast", "files", "quiet"]
RUNTIMES = ["python", "node"]
TITLES = ["Orbit", "orbit", "Velvet", "amber", "Copper Lantern"]  # two tie without case
SLUGS = {
    "skills": ["amber-lantern", "brass", "copper-velvet", "dune", "ember"],
    "personas": ["ember", "falcon", "grey-orbit", "heron", "iris"],  # one is a skill's name too
}
BUNDLES = [[0, 1], [1, 2], [], [3], [0, 1, 2, 3, 4]]
PRICES = [0, 0, 0, 500, 0]
STATUSES = ["published", "published", "published", "published", "draft"]
UNKNOWN = "nothing-here"
MESSAGES = ["It reads scans only.", "é" * 1000]  # of deprecations
REASONS = ["", "It sends what it reads elsewhere."]
# Two of the large ones are more than a manifest has.
TEXTS = {"first": "Do it.", "second": "Do it differently.", "large": "é" * 2**21}

# What each of the first agents has done: what it has left, it has come back to or not.
START = [
    *(("install_skill", {"slug": slug}) for slug in ("brass", "dune")),
    *(("uninstall_skill", {"slug": slug}) for slug in ("brass", "dune", "dune")),
    ("install_skill", {"slug": "brass"}),
    *(("install_persona", {"slug": slug, "setActive": True}) for slug in ("falcon", "ember")),
    ("activate_persona", {"slug": "falcon"}),
    ("me", None),
    ("review", {"personaSlug": "falcon", "rating": 4}),
    *[("uninstall_persona", {"slug": "falcon"})] * 2,
    *(("deactivate_persona", {"slug": slug}) for slug in ("falcon", "ember")),
    ("activate_persona", {"slug": "ember"}),
    *[("report", {"kind": "skill", "slug": "brass", "reason": "broken"})] * 2,
]


def bodies(required, **optional):
    return st.fixed_dictionaries(required, optional=optional)


NUMBERS = st.sampled_from([None, None, 1, 1, 2, 3, 99])  # of versions
# Of a GET the query. model_steps adds the slug or handle.
BODIES = {
    **{
        operation: bodies({}, runtime=st.just(5))  # unknown here, so ignored
        for operation in (
            *("uninstall_skill", "uninstall_persona", "activate_persona"),
            *("deactivate_persona", "unpin_skill", "unpin_persona"),
        )
    },
    **{
        operation: bodies({}, version=NUMBERS)
        for operation in ("update_skill", "update_persona", "pin_skill", "pin_persona")
    },
    "review": bodies(
        {"rating": st.sampled_from([1, 2, 3, 4, 5, 1.0, 1.5, 2.5, 3.33, 4.67, 1.004, 4.996])},
        comment=st.sampled_from(["Tidy.", "", None, "é" * 1000, "🦉 \n"]),
    ),
    "install_skill": bodies(
        {}, runtime=st.sampled_from(["python", "", None, "r" * 5000]), version=NUMBERS
    ),
    "install_persona": bodies(
        {}, setActive=st.sampled_from([True, True, False, None]), version=NUMBERS
    ),
    "register": st.none()
    | bodies(
        {},
        handle=st.sampled_from(["scout", "night-owl", "a1b", "h" * 39, None]),
        name=st.sampled_from(["Night Owl", "Admin", "Ox", "日本", "\u200fא", None]),
        description=st.sampled_from(["Looks around.", "d" * 500, "", None]),
        runtime=st.sampled_from(["python", "r" * 64]),
    ),
    "update_me": bodies(
        {},
        name=st.sampled_from(["Night Owl", "N" * 80, None]),
        description=st.sampled_from(["Looks around.", "", None]),
        runtime=st.sampled_from(["node", "", None]),
        tier=st.just("plus"),  # unknown here, so ignored
        handle=st.none(),
    ),
    "report": bodies(
        {"reason": st.sampled_from(["malicious", "broken", "spam", "license", "other"])},
        comment=st.sampled_from(["Look at it.", "", None, "é" * 1000]),
        reviewId=st.sampled_from([5, None]),
    ),
    "manifest": bodies({}, content=st.sampled_from(["true", "false"]), colour=st.just("red")),
    "limits": st.none(),
    "list_tokens": st.none(),
    "create_token": bodies(
        {},
        name=st.sampled_from(["laptop", "n" * 80, "", None]),
        scopes=st.lists(st.sampled_from(SCOPES), min_size=1, max_size=4) | st.none(),
        expiresInDays=st.sampled_from([1, 90, 365, None]),
    ),
    "rotate_token": st.none() | bodies({}, graceSeconds=st.sampled_from([0, 3600, 86_400, None])),
}
REFUSED = {
    "review": [
        *({"personaSlug": "ember", "rating": r} for r in (0, 0.99, 5.004, 6, -1, 1e300)),
        *({"personaSlug": "ember", "rating": r} for r in (None, True, "5", [5])),
        {"personaSlug": "ember"},
        {"rating": 5},
        {"comment": 5},
        {"personaSlug": UNKNOWN, "rating": 9, "comment": "c" * 1001},
        {"personaSlug": "ember", "rating": 5, "comment": "c" * 1001},
    ],
    "install_skill": [
        {},
        {"slug": ""},
        {"slug": 5, "runtime": True},
        {"slug": "brass", "runtime": ["r"]},
        *({"slug": "brass", "version": version} for version in (0, -1, 2**31, 1.0, "1", True)),
    ],
    "install_persona": [
        {"slug": None, "setActive": "yes"},
        {"slug": "falcon", "setActive": 1},
        {"setActive": True},
    ],
    **{
        operation: [{}, {"slug": ""}, {"slug": ["ember"]}]
        for operation in (
            *("uninstall_skill", "uninstall_persona", "activate_persona"),
            *("deactivate_persona", "update_skill", "update_persona"),
            *("pin_skill", "pin_persona", "unpin_skill", "unpin_persona"),
        )
    },
    "confirm_claim": [{}, {"code": None}, {"code": 5}, {"code": ["BBBB-BBBB"]}, {"code": ""}],
    "report": [
        {},
        {"kind": "agent", "slug": "ember", "reason": "spam"},
        {"kind": ["skill"], "slug": 5, "reason": None},
        {"kind": "review", "slug": "ember", "reason": "spam"},
        {"kind": "skill", "slug": "", "reason": "Spam", "comment": 5},
        {"kind": "skill", "slug": "ember", "reason": "spam", "comment": "c" * 1001},
    ],
    "facets": [{}, {"kind": "skills"}, {"kind": "skill", "limit": "2"}],
    "manifest": [{"content": value} for value in ("", "1", "False")],
    "create_token": [
        *({"scopes": scopes} for scopes in ([], "read", ["read", "admin"], [["read"]], {})),
        *({"expiresInDays": days} for days in (0, 366, 1.0, True, "1")),
        {"name": "n" * 81, "scopes": [], "expiresInDays": 0},
        {"name": "lap\ntop"},
        {"name": 5},
    ],
    "rotate_token": [{"graceSeconds": seconds} for seconds in (-1, 86_401, 1.0, True, "1")],
    "revoke_leaked_token": [{}, {"token": None}, {"token": 5}],
    "update_me": [
        {"handle": "another"},
        {"name": "N" * 81, "description": 5},
        {"name": " "},
        {"name": "Night\u202eOwl", "runtime": 5},
        {"description": "d" * 501, "name": "Kept Out"},
    ],
    "register": [
        *({"handle": handle} for handle in ("ab", "h" * 40, "a--b", "-ab", "Owl", "admin", 5)),
        {"name": "", "handle": "scout"},
        {"name": "Night Owl\U000e0041"},
        {"runtime": "r" * 65},
    ],
}

SHARED_FILTERS = {
    "q": [*WORDS, "orbit files", "nothing"],
    "category": ["data", "writing", "nothing"],
    "tag": [["fast"], ["files", "fast"], ["nothing"]],
    "runtime": [*RUNTIMES, "nothing"],
    "author": ["Ada", "ada"],
    "license": ["MIT", "mit", "CC0-1.0"],
}
# By the operation that lists.
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
REFUSED_QUERIES = {
    "list_skills": [
        {"colour": "red", "sort": "name"},
        {"free": "true"},
        {"sort": "rating"},
        {"limit": "0"},
        {"cursor": "made-up"},
    ],
    "list_personas": [
        {"bundledIn": "ember"},
        {"sort": "downloads"},
        {"sort": "relevance"},
        {"limit": "101"},
        {"free": "yes"},
        {"minRating": "5.1"},
    ],
    "own_skills": [{"sort": "newest"}, {"limit": "0"}],
    "own_personas": [{"q": "ember"}, {"cursor": "made-up"}],
    "own_reviews": [{"sort": "newest"}, {"rating": "5"}],
    "persona_reviews": [
        *({"rating": rating} for rating in ("", "0", "6", "4.5", "five")),
        {"sort": "rating"},
        {"limit": "0"},
        {"q": "ember"},
    ],
    **{name: [{"sort": "newest"}, {"limit": "0"}] for name in sorted(VERSIONS)},
}


def content(kind, slug, text):
    """The text as a prompt, or in a SKILL.md that is valid, so that it is served as it is."""
    if kind == "personas":
        return text
    return f"---\nname: {slug}\ndescription: Does it.\n---\n{text}"


def fields(kind, number):
    """What staff write about an entry and a list shows unchanged."""
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
