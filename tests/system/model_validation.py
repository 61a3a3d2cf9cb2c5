"""What the contract refuses in a request's body, with the text of the error."""

import re

from tests.system.matchers import StartsWith

HANDLE = r"[a-z0-9]+(-[a-z0-9]+)*"
RESERVED = {"admin"}  # of a longer list, what the test tries
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
        text_problem(body, "name", maximum=80),
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
    return joined(slug_problem(body, "slug"), text_problem(body, "runtime"))


def persona_install_problem(body):
    active = body.get("setActive")
    is_boolean = active is None or isinstance(active, bool)
    return joined(slug_problem(body, "slug"), None if is_boolean else "setActive must be a boolean")


def review_problem(body):
    rating = body.get("rating")
    is_number = isinstance(rating, int | float) and not isinstance(rating, bool)
    return joined(
        None if is_number and 1 <= rating <= 5 else RATING,
        slug_problem(body, "personaSlug"),
        text_problem(body, "comment", maximum=1000),
    )


def slug_problem(body, name):
    if body.get(name) in {None, ""}:
        return f"{name} is required"
    return text_problem(body, name)


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
