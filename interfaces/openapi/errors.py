"""The errors that programs can tell apart, as one table, from the classes that raise them."""

from marketplace.api.exceptions import ApiError

INTRODUCTION = """
## Errors

The sentence is the error's code: compare it as a whole. It never changes within a major version. \
Where it names a number, as in `{seconds}`, compare the rest. Other sentences of a 400 name the \
field, parameter or argument to fix.

"""


def classes(base=ApiError):
    """Those that have a text of their own."""
    for error in base.__subclasses__():
        if "when" in vars(error):
            yield error
        yield from classes(error)


def table():
    """Status, text, when and what to do, in Markdown."""
    rows = sorted(
        (error.status_code, error.default_detail, error.when, error.remedy) for error in classes()
    )
    lines = ["| Status | `error` | When | What to do |", "|---|---|---|---|"]
    lines += [f"| {status} | `{text}` | {when} | {remedy} |" for status, text, when, remedy in rows]
    return "\n".join(lines) + "\n"


def example(text):
    """A response with this text, for OpenAPI, which says when it comes and what to do."""
    value = {"value": {"error": text}}
    for error in classes():
        if error.default_detail == text:
            value["description"] = f"{error.when} {error.remedy}"
    return value
