"""docs/develop/contract.md: tests prove every clause, and what the code cites is in it."""

import ast
import re
from functools import cache

from demo.postgres import CHECKOUT

CONTRACT = (CHECKOUT / "docs" / "develop" / "contract.md").read_text()
SECTION = re.compile(r"^## (\d+)\. ", re.MULTILINE)
CLAUSE = re.compile(
    r"^- \*\*(\d+\.\d+)\*\* (.*?)(?=^- \*\*|^#|^>|^\||\Z)", re.MULTILINE | re.DOTALL
)
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
def marked():
    """The clauses that tests prove."""
    return {
        clause.value
        for path in (CHECKOUT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.contract"
        for clause in node.args
    }


def test_clauses_are_numbered_in_order():
    sections = [int(number) for number in SECTION.findall(CONTRACT)]
    numbers = [tuple(map(int, number.split("."))) for number, _ in CLAUSE.findall(CONTRACT)]

    assert sections == sorted(set(sections))
    assert numbers == sorted(set(numbers))
    assert {section for section, _ in numbers} == set(sections)


def test_every_clause_has_a_test():
    assert CLAUSES.keys() - marked() == set()


def test_every_clause_that_a_test_is_marked_with_exists():
    assert marked() - CLAUSES.keys() == set()


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
