from typing import NamedTuple

NEWEST = 10  # rows that a panel shows


class Link(NamedTuple):
    """A cell of a table; without an address it is text."""

    text: str
    url: str


def panel(title, rows, line, address_of_all="", label="View all"):
    """A panel of a row's page: the first of its related rows, and a link to all of them.

    `line` returns a row's text, a note, and the address of its page, which may be empty.
    """
    return {
        "title": title,
        "rows": list(map(line, rows[:NEWEST])),
        "all": address_of_all,
        "label": label,
    }


def table(title, columns, rows, line, address_of_all=""):
    """A panel whose rows have columns. `line` returns a row's cells: texts, or Links."""
    return panel(title, rows, line, address_of_all) | {"columns": columns}
