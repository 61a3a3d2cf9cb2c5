"""Logging in to the console with an operator key (contract 19.2)."""

from django.contrib import messages
from django.db import transaction
from django.middleware.csrf import rotate_token
from django.shortcuts import redirect

from agents.models import OperatorKey
from audit.models import AuditEvent
from operators import sessions
from operators.pages import OperatorPage, count_key, too_many, with_limits


class LogInPage(OperatorPage):
    """A page that asks for an operator key."""

    def ask(self, request, *, refused=None, status=200):
        """The form. `refused` is the Usage after a key that opens nothing."""
        raise NotImplementedError

    def log_in(self, request, page):
        """Log in with the key of the form, and go on to the page.

        Each try counts, and an unknown key costs what a pending or ended one does.
        """
        usage = count_key(request)
        if usage.is_exceeded:
            return too_many(request, usage)
        key = OperatorKey.objects.of_text(request.POST.get("key", "").strip())
        if key is None:
            AuditEvent.objects.record("log_in_failed", kind="operatorkey")
            response = self.ask(request, refused=usage, status=400)
        else:
            response = redirect(page)
            enter(request, response, key)
        return with_limits(response, usage)


def enter(request, response, key):
    """Log the browser that gets the response in with the key."""
    rotate_token(request)
    # Messages for the key that this browser had before are not for this key.
    storage = messages.get_messages(request)
    storage.used = len(storage) > 0
    begin_session(request, response, key)


@transaction.atomic
def begin_session(request, response, key):
    if previous := sessions.session_of(request):
        previous.delete()
    sessions.begin(response, key)
    AuditEvent.objects.record("log_in", key, by=by(key))


def by(key):
    """The actor of what an operator does with no particular agent."""
    return "operator", str(key)
