"""What the tests of the admin's pages of operators share."""

from html import unescape

from tests.admin.rows import change_page

OPERATORS = "/admin/agents/operatorkey/"
ME = "/api/v1/agents/me"
REVOKE = "/api/v1/tokens/revoke"


def key_of(agent):
    agent.claim.refresh_from_db()
    return agent.claim.key


def listed(admin_client, **query):
    """The rows of the list, as {hint: texts of the columns}."""
    page = admin_client.get(OPERATORS, query)
    assert page.status_code == 200
    model_admin = page.context["cl"].model_admin
    columns = ["names", "agents", "open_sessions", "state"]
    return {
        key.hint: [unescape(str(getattr(model_admin, name)(key))) for name in columns]
        for key in page.context["cl"].result_list
    }


def text_of(admin_client, row):
    return unescape(admin_client.get(change_page(row)).content.decode())


def offered(admin_client, key):
    page = admin_client.get(change_page(key))
    return {name for name, _ in page.context["row_actions"]}


def reasons(row):
    return [snapshot.history_change_reason for snapshot in row.history.all()]


USABLE = '<span class="state state-usable">usable</span>'
ENDED = '<span class="state state-ended">ended</span>'
