"""The base of an operator's actions on many agents at once."""

from django.contrib import messages
from django.shortcuts import redirect
from django.urls import reverse

from marketplace.ratelimits.windows import Caller, count
from operators.pages import Console, too_many

MAX_NAMED = 10  # agents in a message: its cookie holds 2 KB, and a longer one is not sent


class ManyAgentsAction(Console):
    """GET asks for confirmation, and POST acts.

    The subject has the `agents`, `{primary key: handle}`; the `label` of the button, and `done`,
    the same in the past tense.
    """

    template = ""
    name = ""  # in the audit trail

    def get(self, request, **path):
        return self.confirm(self.subject(**path))

    def post(self, request, **path):
        usage = count(request, "manage", Caller(f"operator {self.key.pk}"))
        if usage.is_exceeded:
            return too_many(request, usage)
        subject = self.subject(**path)
        if self.has_moved(subject):
            return self.confirm(subject, has_moved=True)
        changed = self.change_all(subject)
        if changed is None:
            return self.ask_for_key()
        handles = [handle for pk, handle in subject.agents.items() if pk in changed]
        left_out = [handle for pk, handle in subject.agents.items() if pk not in changed]
        if handles:
            messages.success(request, f"{subject.done}: {in_words(handles)}.")
        if left_out:
            text = f"Left out: {in_words(left_out)}. Open the page of an agent to see why."
            messages.warning(request, text)
        return redirect(self.next_page())

    def subject(self, **path):
        raise NotImplementedError

    def has_moved(self, subject):
        """Whether the page that was confirmed showed something else."""
        raise NotImplementedError

    def change_all(self, subject):
        """The primary keys of the agents that have changed; None if the session has just ended."""
        raise NotImplementedError

    def confirm(self, subject, *, has_moved=False):
        back = self.next_page()
        return self.render(self.template, subject=subject, has_moved=has_moved, back=back)

    def next_page(self):
        return reverse("operator")


def in_words(handles):
    """For example "ant, bee, and 3 more"."""
    names, more = handles[:MAX_NAMED], len(handles[MAX_NAMED:])
    return ", ".join([*names, f"and {more} more"] if more else names)
