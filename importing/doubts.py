"""Doubts about a file, which refuse it unless the person who confirms it accepts them."""

import yaml

from catalogue.fences import fenced, line_at, missing_fence
from catalogue.inspection import NOT_ENDED
from catalogue.yaml_fields import Reader, UnreadableYaml

FIRST = 2  # the line below the first fence


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


def problem_of(text):
    """The line and the first thing in a file's frontmatter that some YAML readers refuse."""
    reader = Reader(fenced(text)[1])
    try:
        reader.read()
    except yaml.MarkedYAMLError as error:
        return FIRST + error.problem_mark.line, f"YAML says {error.problem}"
    except yaml.YAMLError:
        return FIRST, "a character that YAML forbids"
    except UnreadableYaml as error:
        return FIRST + reader.line, str(error)
    return FIRST, "a line that cannot be edited by itself"
