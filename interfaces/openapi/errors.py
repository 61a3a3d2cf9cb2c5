"""The errors that programs can tell apart, from the classes that raise them."""

from marketplace.api.exceptions import ApiError


def classes(base=ApiError):
    """Those that have a text of their own."""
    for error in base.__subclasses__():
        if "when" in vars(error):
            yield error
        yield from classes(error)


def listed():
    """Each error as the document lists it, by status and text."""
    rows = sorted(
        (error.status_code, error.default_detail, error.when, error.remedy) for error in classes()
    )
    return [dict(zip(("status", "error", "when", "remedy"), row, strict=True)) for row in rows]


def table():
    """The same for people, in Markdown."""
    lines = ["| Status | `error` | When | What to do |", "|---|---|---|---|"]
    lines += ["| {status} | `{error}` | {when} | {remedy} |".format_map(row) for row in listed()]
    return "\n".join(lines) + "\n"


def example(text):
    """A response with this text, which says when it comes and what to do."""
    value = {"value": {"error": text}}
    for error in classes():
        if error.default_detail == text:
            value["description"] = f"{error.when} {error.remedy}"
    return value
