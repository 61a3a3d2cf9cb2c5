"""Editing rows in the admin, and reading and restoring their history."""

from tests.admin.actions import send
from tests.browser import untouched_form


def edit(admin_client, entry, **fields):
    url = f"/admin/catalogue/{entry._meta.model_name}/{entry.pk}/change/"
    response = admin_client.post(url, untouched_form(admin_client.get(url)) | fields)
    assert response.status_code == 302, response.context["errors"]
    entry.refresh_from_db()


def history(admin_client, row):
    options = row._meta
    page = admin_client.get(f"/admin/{options.app_label}/{options.model_name}/{row.pk}/history/")
    assert page.status_code == 200
    return page


def restore(admin_client, row, snapshot):
    options = row._meta
    url = f"/admin/{options.app_label}/{options.model_name}/{row.pk}/history/"
    response = send(admin_client, f"{url}{snapshot.history_id}/", {"confirmed": "yes"})
    row.refresh_from_db()
    return response
