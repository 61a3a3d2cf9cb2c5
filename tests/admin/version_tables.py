"""The pages of an entry's versions in the admin."""

from tests.admin.actions import send


def rows(page):
    """The table's cells as text, row by row."""
    table = page.content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    return [cells(row) for row in table.split("<tr>")[1:]]


def cells(row):
    """A version's row: its number, agents, state and actions."""
    columns = [words(cell) for cell in row.split("<td>")[3:]]
    return [columns[0], *columns[3:]]


def words(html):
    texts = [part.partition(">")[2] for part in html.partition("</td>")[0].split("<")[1:]]
    return " ".join((html.partition("<")[0] + " ".join(texts)).split()).replace(" ,", ",")


def page_of(kind, path=""):
    return f"/admin/catalogue/{kind.name}/{kind.entry.pk}/versions/{path}"


def act(client, kind, number, action, **fields):
    """What staff read after the action."""
    url = page_of(kind, f"{number}/{action}/")
    response = send(client, url, {"confirmed": "yes", **fields})
    kind.entry.refresh_from_db()
    return [str(message) for message in response.context["messages"]]
