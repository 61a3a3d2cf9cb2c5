NEWEST = 10  # rows that a panel shows


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
