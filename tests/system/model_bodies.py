"""What the contract refuses in a request's body, and with which sentence."""

import re

from tests.system.likeness import Sentence

HANDLE = r"[a-z0-9]+(-[a-z0-9]+)*"
RESERVED = {"admin"}  # of a longer list, what the proof tries
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
        return Sentence("name ")
    return joined(
        text_problem(body, "name", most=80),
        text_problem(body, "description", most=500),
        text_problem(body, "runtime", most=64),
    )


def handle_problem(handle):
    if problem := text_problem({"handle": handle}, "handle", most=39):
        return problem
    if handle is None or (
        len(handle) >= 3 and re.fullmatch(HANDLE, handle) and handle not in RESERVED
    ):
        return None
    return Sentence("handle ")


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
        text_problem(body, "comment", most=1000),
    )


def slug_problem(body, name):
    if body.get(name) in {None, ""}:
        return f"{name} is required"
    return text_problem(body, name)


def text_problem(body, name, *, most=None):
    """null means that an optional text is absent."""
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        return f"{name} must be a string"
    if most is not None and len(value) > most:
        return f"{name} must be at most {most} characters"
    return None


def joined(*problems):
    return "; ".join(problem for problem in problems if problem)
