"""docs/develop/contract.md: what it names exists, and what the code cites is in it."""

import ast
import re
from functools import cache

from demo.postgres import CHECKOUT

CONTRACT = (CHECKOUT / "docs" / "develop" / "contract.md").read_text()
SECTION = re.compile(r"^## (\d+)\. ", re.MULTILINE)
CLAUSE = re.compile(
    r"^- \*\*(\d+\.\d+)\*\* (.*?)(?=^- \*\*|^#|^>|^\||\Z)", re.MULTILINE | re.DOTALL
)
TEST = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
CLAUSES = dict(CLAUSE.findall(CONTRACT))
# A citation may break over two lines of a docstring or a comment.
NUMBER = r"\d+(?:\.\d+)?"
CITATION = re.compile(rf"\bcontract[\s#]+({NUMBER}(?:(?:,| and)[\s#]+{NUMBER})*)")
OTHER_DOCUMENT = re.compile(r"\b(?:lifecycle|specification|registry|spec)[\s#]+\d")
SUFFIXES = ["py", "sql", "html", "md", "txt", "css", "js"]


@cache
def sources():
    """What may cite a clause: the files of the checkout, by their paths."""
    paths = [
        path
        for suffix in SUFFIXES
        for place in (f"*.{suffix}", f"[!.]*/**/*.{suffix}")
        for path in CHECKOUT.glob(place)
    ]
    return {str(path.relative_to(CHECKOUT)): path.read_text() for path in paths}


@cache
def defined_tests():
    return {
        (path.name, node.name)
        for path in (CHECKOUT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
    }


def test_clauses_are_numbered_in_order():
    sections = [int(number) for number in SECTION.findall(CONTRACT)]
    numbers = [tuple(map(int, number.split("."))) for number, _ in CLAUSE.findall(CONTRACT)]

    assert sections == sorted(set(sections))
    assert numbers == sorted(set(numbers))
    assert {section for section, _ in numbers} == set(sections)


def test_every_clause_names_a_test():
    assert [number for number, text in CLAUSES.items() if not TEST.search(text)] == []


def test_every_test_that_is_named_exists():
    assert set(TEST.findall(CONTRACT)) - defined_tests() == set()


def test_every_clause_that_is_cited_exists():
    known = CLAUSES.keys() | set(SECTION.findall(CONTRACT))
    cited = {
        (path, number)
        for path, text in sources().items()
        for numbers in CITATION.findall(text)
        for number in re.findall(NUMBER, numbers)
    }

    assert cited
    assert {(path, number) for path, number in cited if number not in known} == set()


def test_nothing_cites_a_document_that_is_not_here():
    assert [path for path, text in sources().items() if OTHER_DOCUMENT.search(text)] == []
