"""What an operator does with an agent: asked first, in words, then done and told to staff."""

from django import forms
from django.contrib import messages
from django.db import transaction
from django.shortcuts import redirect

from marketplace.ratelimits.windows import Caller, count
from operators.pages import Console, too_many


class Action(Console):
    """GET asks, POST does it and notes it in the staff's history, with the operator as author.

    The texts may name the agent and the subject, which is what the rest of the path names, or what
    `act` returns. `note` is for staff; `done` is what the operator reads afterwards.
    """

    title = text = label = note = done = ""
    is_dangerous = False
    needs_full = True  # a claim that was confirmed by a token that may do everything
    is_event = True  # to staff, also where no column of the agent changes
    next_page = "/operator/agents/{agent}"
    subject_path = ""  # what the path names beside the agent, as an expression for `subject`
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
            note_change(agent, operator, note, is_event=self.is_event)
        return self.show(agent, subject)

    def refuse(self, claim):
        return self.render("operator/refused.html", status=403, agent=claim.agent)

    def subject(self, agent):
        """What the action is about, beside the agent."""

    def form(self, claim, subject, data=None):
        return forms.Form({} if data is None else data)

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
        )

    def act(self, claim, subject, form, operator):
        """Do it. A ValidationError, of fields of the form, refuses it."""
        raise NotImplementedError

    def change_nothing(self):
        """Say so, and note nothing."""
        self.is_event, self.done = False, "Nothing has changed."

    def show(self, agent, subject):
        messages.success(self.request, self.done.format(agent=agent, subject=subject))
        return redirect(self.next_page.format(agent=agent))


def note_change(agent, operator, reason, *, is_event=True):
    """Note in the staff's history what an operator has done with the agent."""
    agent.refresh_from_db()
    agent.take_snapshot(operator=operator, reason=reason, is_event=is_event)
