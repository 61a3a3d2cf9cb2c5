"""Doubts about a file, which refuse it unless the person who confirms it ticks them."""

from catalogue.fences import line_at, missing_fence
from catalogue.inspection import NOT_ENDED
from catalogue.repairs import problem_of


def doubt_about(file, repairs):
    """Why the file should not be imported as it is, with its line; "" if it may."""
    if not file.body.strip():
        number = len(file.text.splitlines())
        return f"line {number}: no text follows the frontmatter"
    place = missing_fence(file.text)
    if place is not None:
        return f"line {line_at(file.text, place)}: {NOT_ENDED}, so agents get one"
    if "frontmatter" in repairs:
        number, problem = problem_of(file.text)
        return f"line {number}: {problem}, so agents get all of its frontmatter written anew"
    return ""
