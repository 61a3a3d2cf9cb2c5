import re
from html import unescape

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType


def told(page):
    """The messages of a page, without their links."""
    messages = page.context["messages"]
    return [unescape(re.sub("<[^>]*>", "", str(message))).strip() for message in messages]


def take_action(admin_client, action, *rows, **fields):
    """Run an action of the admin's list on these rows, as confirmed on its page."""
    options = rows[0]._meta
    response = admin_client.post(
        f"/admin/{options.app_label}/{options.model_name}/",
        {
            "action": action,
            "_selected_action": [row.pk for row in rows],
            "confirmed": "yes",
            **fields,
        },
        follow=True,
    )
    assert response.status_code == 200
    return response


def log_change(row, message, user=None):
    """Log that staff have changed a row."""
    return LogEntry.objects.create(
        user=user or User.objects.create_user("ada"),
        content_type=ContentType.objects.get_for_model(row),
        object_id=row.pk,
        object_repr=str(row),
        action_flag=CHANGE,
        change_message=message,
    )
