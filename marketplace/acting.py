"""The actor of the running request or command, for the audit trail (contract 33.2)."""

from contextlib import ExitStack, contextmanager
from contextvars import ContextVar

from django.core.management.base import BaseCommand

from infrastructure.server.request_ids import request_id
from marketplace.ratelimits.client_address import client_address


class Act:
    """A request, a command or a round of the clock process, with its actor.

    If all of it is one event, `at_end` is an ExitStack, whose callbacks complete that event.
    """

    def __init__(self, kind, name="", request=None, at_end=None):
        self.kind, self.request, self.at_end = kind, request, at_end
        self._name = name

    @property
    def name(self):
        """The given name; for a request to the admin, that of the user who is logged in by now."""
        user = getattr(self.request, "user", None)
        return self._name or (user.get_username() if user else "")

    @property
    def address(self):
        return client_address(self.request) if self.request else ""

    @property
    def request_id(self):
        return (self.request and request_id.get()) or ""


NOBODY = Act("system")
_current = ContextVar("act", default=NOBODY)


def current_act():
    return _current.get()


@contextmanager
def acting(kind, name="", request=None, *, as_one=False):
    """Within it, changes are recorded as those of somebody; with `as_one`, as one event."""
    with ExitStack() as at_end:
        token = _current.set(Act(kind, name, request, at_end if as_one else None))
        at_end.callback(_current.reset, token)  # the last callback
        yield


class ActingCommand(BaseCommand):
    """A command that changes something. It acts for the clock process where that runs it."""

    as_one = False  # whether all that it does is one event, in however many transactions

    def execute(self, *args, **options):
        act = current_act()
        name = type(self).__module__.rpartition(".")[2]
        kind, name = ("command", name) if act is NOBODY else (act.kind, act.name)
        with acting(kind, name, as_one=self.as_one):
            return super().execute(*args, **options)
