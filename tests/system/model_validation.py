"""The bodies that the contract refuses, with the text of the error."""

import re

from tests.system.matchers import StartsWith

HANDLE = r"[a-z0-9]+(-[a-z0-9]+)*"
RESERVED = {"admin"}  # the tested part of a longer list
SCOPES = ["read", "install", "review"]
ALL_SCOPES = [*SCOPES, "clone"]  # A token has the last one only on request.
NAMES = ", ".join(ALL_SCOPES)
FILTERS = {
    "skills": {"category", "tag", "runtime", "author", "license", "bundledIn"},
    "personas": {"category", "tag", "runtime", "author", "license", "free", "minRating", "skill"},
}
SORTS = {
    "skills": {"relevance", "downloads", "newest", "updated", "name"},
    "personas": {"relevance", "installs", "newest", "updated", "name", "rating", "price"},
}
COMMON = {"q", "query", "search", "sort", "limit", "cursor"}
# In names: categories Cc, Zl and Zp, bidirectional overrides and isolates, and tags.
CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
RATING = "Rating must be between 1 and 5"


def registration_problem(body):
    return profile_problem(body) or handle_problem(body.get("handle"))


def update_problem(body):
    if body.get("handle") is not None:
        return "handle cannot be changed"
    return profile_problem(body)


def profile_problem(body):
    name = body.get("name")
    if isinstance(name, str) and not name.strip():
        return StartsWith("name ")
    return joined(
        name_problem(body),
        text_problem(body, "description", maximum=500),
        text_problem(body, "runtime", maximum=64),
    )


def handle_problem(handle):
    if problem := text_problem({"handle": handle}, "handle", maximum=39):
        return problem
    if handle is None or (
        len(handle) >= 3 and re.fullmatch(HANDLE, handle) and handle not in RESERVED
    ):
        return None
    return StartsWith("handle ")


def skill_install_problem(body):
    return joined(slug_problem(body), text_problem(body, "runtime"), number_of_version(body))


def persona_install_problem(body):
    active = body.get("setActive")
    is_boolean = active is None or isinstance(active, bool)
    wrong_active = None if is_boolean else "setActive must be a boolean"
    return joined(slug_problem(body), wrong_active, number_of_version(body))


def version_problem(body):
    return joined(slug_problem(body), number_of_version(body))


def number_of_version(body):
    return number_problem(body, "version", 1, 2**31 - 1)


def review_problem(body):
    rating = body.get("rating")
    is_number = isinstance(rating, int | float) and not isinstance(rating, bool)
    return joined(
        None if is_number and 1 <= rating <= 5 else RATING,
        slug_problem(body, "personaSlug"),
        text_problem(body, "comment", maximum=1000),
    )


def report_problem(body):
    wrong_kind = choice_problem(body, "kind", ["skill", "persona", "review"])
    named_by = "reviewId" if body.get("kind") == "review" else "slug"
    return joined(
        wrong_kind,
        None if wrong_kind else slug_problem(body, named_by),
        choice_problem(body, "reason", ["malicious", "broken", "spam", "license", "other"]),
        text_problem(body, "comment", maximum=1000),
    )


def choice_problem(values, name, choices):
    if values.get(name) is None:
        return f"{name} is required"
    if not isinstance(values[name], str):
        return f"{name} must be a string"
    return None if values[name] in choices else f"{name} must be one of {', '.join(choices)}"


def facets_problem(query):
    if problem := unknown_problem(query, {"kind"}):
        return problem
    if "kind" not in query:
        return "kind is required: one of skill, persona"
    return choice_problem(query, "kind", ["skill", "persona"])


def manifest_problem(query):
    if (query or {}).get("content", "true") in {"true", "false"}:
        return None
    return "content must be true or false"


def code_problem(body):
    return "code is required" if body.get("code") is None else text_problem(body, "code")


def token_problem(body):
    scopes = body.get("scopes")
    is_list = isinstance(scopes, list) and scopes != [] and all(s in ALL_SCOPES for s in scopes)
    return joined(
        name_problem(body),
        None if scopes is None or is_list else f"scopes must be a list of one or more of {NAMES}",
        number_problem(body, "expiresInDays", 1, 365),
    )


def rotation_problem(body):
    return number_problem(body or {}, "graceSeconds", 0, 86_400)


def number_problem(body, name, low, high):
    value = body.get(name)
    if value is None or (type(value) is int and low <= value <= high):
        return None
    return f"{name} must be a whole number from {low} to {high}"


def slug_problem(body, name="slug"):
    if body.get(name) is None or body[name] == "":
        return f"{name} is required"
    return text_problem(body, name)


def name_problem(body):
    if problem := text_problem(body, "name", maximum=80):
        return problem
    if CONTROLS.search(body.get("name") or ""):
        return "name must not contain control characters"
    return None


def text_problem(body, name, *, maximum=None):
    """null means that an optional text is absent."""
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        return f"{name} must be a string"
    if maximum is not None and len(value) > maximum:
        return f"{name} must be at most {maximum} characters"
    return None


def joined(*problems):
    return "; ".join(problem for problem in problems if problem)


def query_problem(kind, query):
    """The error text of an invalid query, or None."""
    if problem := unknown_problem(query, FILTERS[kind] | COMMON):
        return problem
    sort = query.get("sort", "newest")
    is_fine = {
        "sort": sort in SORTS[kind] and (sort != "relevance" or "q" in query),
        "free": query.get("free", "true") in {"true", "false"},
        "minRating": is_rating(query.get("minRating", "1")),
    }
    wrong = next((StartsWith(name) for name, fine in is_fine.items() if not fine), None)
    return wrong or page_problem(query)


def own_query_problem(query):
    return unknown_problem(query, {"limit", "cursor"}) or page_problem(query)


def review_query_problem(query):
    if problem := unknown_problem(query, {"limit", "cursor", "sort", "rating"}):
        return problem
    if query.get("sort", "newest") not in {"newest", "highest", "lowest"}:
        return StartsWith("sort")
    if query.get("rating", "5") not in {*"12345"}:
        return "rating must be a whole number from 1 to 5"
    return page_problem(query)


def version_query_problem(query):
    return unknown_problem(query, {"limit", "cursor"}) or page_problem(query)


def unknown_problem(query, allowed):
    unknown = next((name for name in query if name not in allowed), None)
    if unknown is None:
        return None
    return f"Unknown query parameter '{unknown}'. Allowed: {', '.join(sorted(allowed))}"


def page_problem(query):
    limit = query.get("limit", "20")
    if not (limit.isdigit() and 1 <= int(limit) <= 100):
        return StartsWith("limit")
    # No invented cursor is valid; the test takes valid ones from links.
    return StartsWith("cursor") if "cursor" in query else None


def is_rating(text):
    return re.fullmatch(r"[0-9.]+", text) is not None and 1 <= float(text) <= 5
