"""The errors that programs can tell apart, from the classes that raise them."""

from django.conf import settings

from marketplace.api.exceptions import ApiError
from marketplace.features import has_connectors, has_submissions

OF_GIT, OF_SUBMISSIONS = ["interfaces.git."], ["submissions.", "publishers."]


def classes(base=ApiError):
    """Those that have a text of their own."""
    for error in base.__subclasses__():
        if "when" in vars(error):
            yield error
        yield from classes(error)


def listed():
    """Each error as the document lists it, by status and text."""
    rows = sorted(
        (error.status_code, error.default_detail, error.when, error.remedy)
        for error in classes()
        if not f"{error.__module__}.{error.__name__}".startswith(tuple(absent()))
    )
    return [dict(zip(("status", "error", "when", "remedy"), row, strict=True)) for row in rows]


def absent():
    """The modules or classes of what this marketplace does not have."""
    if not settings.GIT:
        yield from OF_GIT
    if not has_connectors():
        yield "agents.exceptions.ConnectionCannotManageTokens"
    if not has_submissions():
        yield from OF_SUBMISSIONS


def table():
    """The same for people, in Markdown."""
    lines = ["| Status | `error` | When | What to do |", "|---|---|---|---|"]
    lines += ["| {status} | `{error}` | {when} | {remedy} |".format_map(row) for row in listed()]
    return "\n".join(lines) + "\n"


def of(text):
    """The error with this text, or None if programs cannot tell it apart."""
    return next((error for error in classes() if error.default_detail == text), None)


def example(text):
    """A response with this text, which says when it comes and what to do."""
    value = {"value": {"error": text}}
    if error := of(text):
        value["description"] = f"{error.when} {error.remedy}"
    return value


def reasons(texts):
    """When a response with one of these texts comes, in Markdown."""
    whens = [of(text).when for text in dict.fromkeys(texts)]
    return (
        whens[0] if len(whens) == 1 else "\n".join(["One of these:\n", *map("- {}".format, whens)])
    )
