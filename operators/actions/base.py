"""The base of an operator's actions: each asks for confirmation and is recorded for staff."""

from django import forms
from django.contrib import messages
from django.db import transaction
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from agents.models import Agent
from audit.models import AuditEvent
from marketplace.adminsite.history import changes_between
from marketplace.ratelimits.windows import Caller, count
from operators.pages import Console, too_many


class Action(Console):
    """GET asks for confirmation. POST acts, and records the operator in the agent's history.

    The texts may name the agent and the subject, which comes from the rest of the path or from
    `act`. Staff read `note`; the operator reads `done` afterward.
    """

    title = text = label = note = done = ""
    is_dangerous = False
    needs_full = True  # a claim that a token with all scopes has confirmed
    is_event = True  # recorded for staff even if no column of the agent changes
    subject_path = ""  # the rest of the path after the agent, with the arguments of `subject`
    template = "operator/confirm.html"

    def get(self, request, handle, **path):
        claim = self.claim_of(handle)
        if self.needs_full and not claim.is_full:
            return self.refuse(claim)
        subject = self.subject(claim.agent, **path)
        return self.confirm(claim, subject, self.form(claim, subject))

    def post(self, request, handle, **path):
        usage = count(request, "manage", Caller(f"operator {self.key.pk}"))
        if usage.is_exceeded:
            return too_many(request, usage)
        with transaction.atomic():
            claim = self.lock_claim(handle)
            if claim is None:
                return self.ask_for_key()
            if self.needs_full and not claim.is_full:
                return self.refuse(claim)
            subject = self.subject(claim.agent, **path)
            form = self.form(claim, subject, request.POST)
            if not form.is_valid():
                return self.confirm(claim, subject, form, status=400)
            operator, agent = claim.operator_name, claim.agent
            try:
                with transaction.atomic():
                    agent.snapshot_before_change()
                    subject = self.act(claim, subject, form, operator) or subject
            except forms.ValidationError as error:
                form.add_error(None, error)
                return self.confirm(claim, subject, form, status=400)
            note = self.note.format(subject=subject)
            name = request.resolver_match.url_name.removeprefix("operator-").replace("-", "_")
            note_change(name, agent, operator, note, is_event=self.is_event)
        return self.show(agent, subject)

    def refuse(self, claim):
        return self.render("operator/refused.html", status=403, agent=claim.agent)

    def subject(self, agent):
        """The object of the action, besides the agent."""

    def form(self, claim, subject, data=None):
        return forms.Form({} if data is None else data)

    def details(self, claim, form):
        """More context for the template of the page."""
        return {}

    def confirm(self, claim, subject, form, *, status=200):
        words = {"agent": claim.agent, "subject": subject}
        return self.render(
            self.template,
            status=status,
            agent=claim.agent,
            subject=subject,
            form=form,
            title=self.title.format(**words),
            text=self.text.format(**words),
            label=self.label,
            is_dangerous=self.is_dangerous,
            **self.details(claim, form),
        )

    def act(self, claim, subject, form, operator):
        """Perform the action. To refuse it, raise a ValidationError about fields of the form."""
        raise NotImplementedError

    def change_nothing(self):
        """Tell the operator that nothing has changed, and record nothing."""
        self.is_event, self.done = False, "Nothing has changed."

    def show(self, agent, subject):
        messages.success(self.request, self.done.format(agent=agent, subject=subject))
        return redirect(self.next_page(agent))

    def next_page(self, agent):
        return reverse("operator-agent", args=[agent.handle])


def note_change(action, agent, operator, reason, *, is_event=True):
    """Record what an operator has done with the agent, in its history and in the audit trail."""
    agent.refresh_from_db()
    if agent.take_snapshot(operator=operator, reason=reason, is_event=is_event):
        by = ("operator", operator)
        AuditEvent.objects.record(action, agent, by=by, message=reason)


def note_changes(action, claims, reason):
    """`note_change` for many agents, which are locked, of which no column has changed; one event.

    The `claims` are those of one key, with their agents as they are in the database.
    """
    if not claims:
        return
    agents = [claim.agent for claim in claims]
    snapshots = Agent.history.filter(id__in=[agent.pk for agent in agents])
    newest = {row.id: row for row in snapshots.order_by("id", "-history_date").distinct("id")}
    for agent in agents:
        # It has changed by itself: that must not look like the operator's doing.
        if agent.pk not in newest or changes_between(newest[agent.pk], agent):
            agent.snapshot_before_change()
    Snapshot = Agent.history.model  # noqa: N806
    columns = [field.attname for field in Snapshot.tracked_fields]
    details = {"history_date": timezone.now(), "history_type": "~", "history_change_reason": reason}
    Snapshot.objects.bulk_create(
        Snapshot(
            **{column: getattr(claim.agent, column) for column in columns},
            **details,
            operator=claim.operator_name,
        )
        for claim in claims
    )
    names = {claim.operator_name for claim in claims}
    by = names.pop() if len(names) == 1 else claims[0].key
    handles = sorted(agent.handle for agent in agents)
    AuditEvent.objects.record(
        action, kind="agent", names=handles, by=("operator", by), message=reason
    )


def listed(names, most):
    """For example "ant, bee, and 3 more"."""
    more = len(names) - most
    return ", ".join([*names[:most], f"and {more} more"] if more > 0 else names)
