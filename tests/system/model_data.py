"""The data of the model test: a small catalogue, and the values of requests to it."""

from hypothesis import strategies as st

API = "/api/v1"
ROUTES = {
    "register": ("POST", f"{API}/agents/register"),
    "me": ("GET", f"{API}/agents/me"),
    "update_me": ("PATCH", f"{API}/agents/me"),
    "install_skill": ("POST", f"{API}/agents/me/skills/install"),
    "install_persona": ("POST", f"{API}/agents/me/personas/install"),
    "review": ("POST", f"{API}/agents/me/reviews"),
}
# The statuses that a run of full length must have seen.
REACHED = {
    "register": {201, 400, 409},
    "me": {200, 401, 403},
    "update_me": {200, 400, 401},
    "install_skill": {201, 400, 401, 403, 404, 409},
    "install_persona": {201, 400, 401, 402, 403, 404, 409},
    "review": {200, 201, 400, 401, 403, 404},
    "detail": {200, 404},
    "list": {200, 400},
}
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


def bodies(required, **optional):
    return st.fixed_dictionaries(required, optional=optional)


# model_steps adds the slug or handle.
BODIES = {
    "review": bodies(
        {"rating": st.sampled_from([1, 2, 3, 4, 5, 1.0, 1.5, 2.5, 3.33, 4.67, 1.004, 4.996])},
        comment=st.sampled_from(["Tidy.", "", None, "é" * 1000, "🦉 \n"]),
    ),
    "install_skill": bodies({}, runtime=st.sampled_from(["python", "", None, "r" * 5000])),
    "install_persona": bodies({}, setActive=st.sampled_from([True, True, False, None])),
    "register": st.none()
    | bodies(
        {},
        handle=st.sampled_from(["scout", "night-owl", "a1b", "h" * 39, None]),
        name=st.sampled_from(["Night Owl", "Admin", "Ox", "日本", None]),
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
    ],
    "install_persona": [
        {"slug": None, "setActive": "yes"},
        {"slug": "falcon", "setActive": 1},
        {"setActive": True},
    ],
    "update_me": [
        {"handle": "another"},
        {"name": "N" * 81, "description": 5},
        {"name": " "},
        {"description": "d" * 501, "name": "Kept Out"},
    ],
    "register": [
        *({"handle": handle} for handle in ("ab", "h" * 40, "a--b", "-ab", "Owl", "admin", 5)),
        {"name": "", "handle": "scout"},
        {"runtime": "r" * 65},
    ],
}

SHARED_FILTERS = {
    "q": [*WORDS, "orbit files", "nothing"],
    "category": ["data", "writing", "nothing"],
    "tag": [["fast"], ["files", "fast"], ["nothing"]],
    "runtime": [*RUNTIMES, "nothing"],
    "author": ["Ada", "ada"],
}
FILTERS = {
    "skills": {**SHARED_FILTERS, "bundledIn": [*SLUGS["personas"], UNKNOWN]},
    "personas": {
        **SHARED_FILTERS,
        "skill": [*SLUGS["skills"], UNKNOWN],
        "free": ["true", "false"],
        "minRating": ["1", "2.5", "4.67"],
    },
}
SORTS = {
    "skills": ["downloads", "newest", "updated", "name"],
    "personas": ["installs", "newest", "updated", "name", "rating", "price"],
}
REFUSED_QUERIES = [
    ("skills", {"colour": "red", "sort": "name"}),
    ("personas", {"bundledIn": "ember"}),
    ("skills", {"free": "true"}),
    ("skills", {"sort": "rating"}),
    ("personas", {"sort": "downloads"}),
    ("personas", {"sort": "relevance"}),
    ("skills", {"limit": "0"}),
    ("personas", {"limit": "101"}),
    ("personas", {"free": "yes"}),
    ("personas", {"minRating": "5.1"}),
    ("skills", {"cursor": "made-up"}),
]


def fields(kind, number):
    """What staff write about an entry and a list shows unchanged."""
    return {
        "slug": SLUGS[kind][number],
        "title": TITLES[number],
        "description": f"{WORDS[number % 3]}, {WORDS[number // 2]}" if number else "",
        "category": ("data", "writing")[number % 2],
        "tags": TAGS[: number % 4],
        "runtimes": RUNTIMES[number % 3 :],
        "author": ("", "Ada")[number % 2],
        "version": f"1.{number}0",
        "license": "MIT",
    }
