import re
from html import unescape

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.messages import get_messages


def told(page):
    """The messages of a page, without their links."""
    messages = page.context["messages"]
    return [unescape(re.sub("<[^>]*>", "", str(message))).strip() for message in messages]


def send(client, url, fields):
    """Post a form. The content and the context of a redirect are the messages of the next page.

    That page, which is not opened, takes longer than what the form does.
    """
    response = client.post(url, fields)
    if response.status_code == 302:
        messages = [*get_messages(response.wsgi_request)]
        response.context, response.content = {"messages": messages}, "\n".join(map(str, messages))
        client.cookies.pop("messages", None)
    return response


def take_action(admin_client, action, *rows, **fields):
    """Run an action of the admin's list on these rows, as confirmed on its page."""
    options = rows[0]._meta
    response = send(
        admin_client,
        f"/admin/{options.app_label}/{options.model_name}/",
        {
            "action": action,
            "_selected_action": [row.pk for row in rows],
            "confirmed": "yes",
            **fields,
        },
    )
    assert response.status_code in {200, 302}
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
