"""The base of an operator's actions on many agents at once."""

from django.contrib import messages
from django.shortcuts import redirect
from django.urls import reverse

from agents.models import Agent
from marketplace.api.scopes import DEFAULT_SCOPES
from marketplace.ratelimits.windows import Caller, count
from operators.actions.base import listed
from operators.pages import Console, too_many

MAX_AT_ONCE = 500  # agents of one transaction, which wait for each other
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
            messages.success(request, f"{subject.done}: {listed(handles, MAX_NAMED)}.")
        if left_out:
            text = f"Left out: {listed(left_out, MAX_NAMED)}. Open the page of an agent to see why."
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

    def lock_claims(self, agents):
        """`{primary key: claim}` of the agents that the operator may change, which are locked.

        The claims have their agents as they are in the database. Call it in a transaction; None if
        the session has just ended.
        """
        rows = Agent.objects.filter(pk__in=agents).order_by("pk")
        list(rows.select_for_update(no_key=True).only("pk"))
        own = to_act_on(self.key.claims.claimed()).filter(agent__in=agents)
        own = own.select_related("agent").select_for_update(no_key=True, of=["self"])
        claims = {claim.agent_id: claim for claim in own.order_by("pk")}
        return claims if self.session.hold() else None

    def confirm(self, subject, *, has_moved=False):
        back = self.next_page()
        return self.render(self.template, subject=subject, has_moved=has_moved, back=back)

    def next_page(self):
        return reverse("operator")


def to_act_on(claims):
    """The claims whose agents the operator may change, not only view."""
    return claims.filter(scopes__contains=DEFAULT_SCOPES)
