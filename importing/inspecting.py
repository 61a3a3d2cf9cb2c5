"""Inspecting a file before an import saves anything of it (contract 28)."""

from catalogue.findings import STRICT
from catalogue.frontmatter import Refused
from catalogue.inspection import inspect_facts, inspect_folder, inspect_main_file


def inspect(file):
    """Look for the findings of a file and its folder, which may take a minute. Raises OSError."""
    name, folder, of_folder = file.path.name, file.folder, []
    if folder is not None:
        places = folder.places
        of_folder = inspect_folder(
            name, file.text, folder.files, lambda path: places[path].read_bytes()
        )
    file.inspected = inspect_main_file(name, file.text), of_folder


def findings_of(file, facts):
    """The findings of a file, of its folder and of the facts. Raises OSError."""
    if file.inspected is None:
        inspect(file)
    of_text, of_folder = file.inspected
    return [*of_text, *inspect_facts(file.path.name, file.text, facts), *of_folder]


def check_strictly(findings):
    """Raises Refused for what `--strict` refuses."""
    codes = dict.fromkeys(finding.code for finding in findings if finding.code in STRICT)
    if codes:
        raise Refused(f"--strict refuses {', '.join(codes)}")
