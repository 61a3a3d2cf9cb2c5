"""Doubts about a file, which refuse it unless the person who confirms it accepts them."""

import yaml

from catalogue.frontmatter import fenced
from catalogue.models import Skill
from catalogue.repairs import repair
from catalogue.yaml_fields import Reader, UnreadableYaml

FIRST = 2  # the line below the first fence


def doubt_about(file, entry):
    """Why the file should not be imported as it is, with its line; "" if it may."""
    if not file.body.strip():
        number = len(file.text.splitlines())
        return f"line {number}: no text follows the frontmatter"
    if "frontmatter" in repairs_of(file, entry):
        number, problem = problem_of(file.text)
        return f"line {number}: {problem}, so agents get all of its frontmatter written anew"
    return ""


def repairs_of(file, entry):
    if isinstance(entry, Skill):
        return entry.repairs
    return repair(file.text, entry.slug, entry.description).repairs


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
