"""What an operator does with an agent: asked first, in words, then done and told to staff."""

from django import forms
from django.contrib import messages
from django.db import transaction
from django.shortcuts import get_list_or_404, get_object_or_404, redirect

from agents import tokens
from installs.models import PersonaInstall, SkillInstall
from marketplace.models import SLUG
from marketplace.ratelimits.windows import Caller, count
from operators.forms import IssueTokenForm, LimitsForm
from operators.pages import Console, too_many

BY_OPERATOR = "Revoked by its operator"


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

    def get(self, request, handle, **path):
        claim = self.claim_of(handle)
        if self.needs_full and not claim.is_full:
            return self.refuse(claim)
        return self.confirm(claim, self.subject(claim.agent, **path), self.form(claim))

    def post(self, request, handle, **path):
        usage = count(request, "manage", Caller(f"operator {self.key.pk}"))
        if usage.is_exceeded:
            return too_many(request, usage)
        with transaction.atomic():
            # Nothing is done for who has just lost the agent or the session, nor beside what the
            # agent does.
            self.claim_of(handle).agent.lock()
            claim = self.claim_of(handle, is_locked=True)
            if not self.session.hold():
                return self.ask_for_key()
            if self.needs_full and not claim.is_full:
                return self.refuse(claim)
            subject, form = self.subject(claim.agent, **path), self.form(claim, request.POST)
            if not form.is_valid():
                return self.confirm(claim, subject, form, status=400)
            operator, agent = claim.operator_name, claim.agent
            agent.snapshot_before_change()
            subject = self.act(claim, subject, form, operator) or subject
            agent.refresh_from_db()
            note = self.note.format(subject=subject)
            agent.take_snapshot(operator=operator, reason=note, is_event=self.is_event)
        return self.show(agent, subject)

    def refuse(self, claim):
        return self.render("operator/refused.html", status=403, agent=claim.agent)

    def subject(self, agent):
        """What the action is about, beside the agent."""

    def form(self, claim, data=None):
        return forms.Form({} if data is None else data)

    def confirm(self, claim, subject, form, *, status=200):
        words = {"agent": claim.agent, "subject": subject}
        return self.render(
            "operator/confirm.html",
            status=status,
            agent=claim.agent,
            form=form,
            title=self.title.format(**words),
            text=self.text.format(**words),
            label=self.label,
            is_dangerous=self.is_dangerous,
        )

    def act(self, claim, subject, form, operator):
        raise NotImplementedError

    def show(self, agent, subject):
        messages.success(self.request, self.done.format(agent=agent, subject=subject))
        return redirect(self.next_page.format(agent=agent))


class Pause(Action):
    title = "Pause {agent}?"
    text = "The API refuses all of its tokens until you resume it. It keeps what it has."
    label = "Pause"
    note = "Paused."
    is_event = False
    done = "Paused {agent}."

    def act(self, claim, subject, form, operator):
        claim.agent.pause()


class Resume(Action):
    title = "Resume {agent}?"
    text = "The API accepts its tokens again, if staff have not suspended it."
    label = "Resume"
    note = "Resumed."
    is_event = False
    done = "Resumed {agent}."

    def act(self, claim, subject, form, operator):
        claim.agent.resume()


class IssueToken(Action):
    title = "Issue a token to {agent}?"
    text = (
        "The next page shows it, once. Put it where the agent reads its token, in place of one "
        "that it has lost; those that it has go on working until you revoke them."
    )
    label = "Issue"
    note = "Issued the token {subject}."

    def form(self, claim, data=None):
        return IssueTokenForm(data)

    def act(self, claim, subject, form, operator):
        token = claim.agent.tokens.issue(
            claim.agent,
            form.cleaned_data["scopes"],
            name=form.cleaned_data["name"],
            expires_at=tokens.expiry(form.cleaned_data["expires_in_days"]),
        )
        token.take_snapshot(operator=operator, reason="Issued.", kind="+")
        return token

    def show(self, agent, token):
        return self.render("operator/token.html", agent=agent, token=token)


class RevokeToken(Action):
    title = "Revoke the token {subject}?"
    text = "The API refuses it from then on, for good."
    label = "Revoke"
    is_dangerous = True
    note = "Revoked the token {subject}."
    done = "Revoked the token {subject}."
    subject_path = r"/(?P<token_id>\w+)"

    def subject(self, agent, token_id):
        return get_object_or_404(agent.tokens.valid(), public_id=token_id)

    def act(self, claim, token, form, operator):
        revoke(token, operator)


class RevokeTokens(Action):
    title = "Revoke every token of {agent}?"
    text = (
        "The API refuses all of them from then on, for good. The agent comes back with a token "
        "that you issue to it."
    )
    label = "Revoke all"
    is_dangerous = True
    note = "Revoked every token."
    done = "Revoked every token of {agent}. Issue one for it to come back."

    def subject(self, agent):
        return get_list_or_404(agent.tokens.valid())

    def act(self, claim, valid, form, operator):
        for token in valid:
            revoke(token, operator)


def revoke(token, operator):
    token.snapshot_before_change()
    token.revoke(BY_OPERATOR)
    token.take_snapshot(operator=operator, reason=f"{BY_OPERATOR}.")


class Remove(Action):
    """Uninstall what the path names, also from an agent that is paused."""

    title = "Remove {subject} from {agent}?"
    text = (
        "The agent does not get it any more when it starts. Until then it may go on using a copy, "
        "and it may install it again."
    )
    label = "Remove"
    is_dangerous = True
    done = "Removed {subject} from {agent}."
    subject_path = rf"/(?P<slug>{SLUG})"
    installs = None

    def subject(self, agent, slug):
        entry = {f"{self.installs.kind}__slug": slug}
        get_object_or_404(self.installs.objects.present(), agent=agent, **entry)
        return slug

    def act(self, claim, slug, form, operator):
        # Whatever the agent's state: `post` holds its lock.
        self.installs.objects.own(claim.agent, slug).uninstall()


class RemoveSkill(Remove):
    installs = SkillInstall
    note = "Removed the skill {subject}."


class RemovePersona(Remove):
    installs = PersonaInstall
    note = "Removed the persona {subject}."


class SetLimits(Action):
    title = "Limit {agent}"
    text = "How often it may do each of these, at most. The agent reads it in its limits."
    label = "Set the limits"
    note = "Set the limits: {subject}."
    is_event = False
    done = "Set the limits of {agent}: {subject}. What it has used already counts."

    def form(self, claim, data=None):
        return LimitsForm(claim, data)

    def act(self, claim, subject, form, operator):
        limits = {policy: limit for policy, limit in form.cleaned_data.items() if limit is not None}
        claim.agent.change(limits=limits)
        return ", ".join(f"{policy} {limit}" for policy, limit in limits.items()) or "none"


class Release(Action):
    title = "Release {agent}?"
    text = (
        "It is your agent no longer: you cannot undo this. Its pause and its limits end, its "
        "tokens go on working. It finds a new claim URL in its profile; the old one leads nowhere. "
        "If it is the last agent of your key, the key ends with it."
    )
    label = "Release"
    is_dangerous = True
    note = "Released the claim."
    done = "Released {agent}: it is your agent no longer."
    needs_full = False
    next_page = "/operator"

    def act(self, claim, subject, form, operator):
        claim.release()

    def show(self, agent, subject):
        self.key.refresh_from_db()
        if self.key.revoked_at:
            self.done += " It was the last one of your key, which has ended."
        return super().show(agent, subject)


class RenewClaimUrl(Action):
    title = "Give {agent} a new claim URL?"
    text = (
        "For when somebody else may know it. The old one leads nowhere, and codes that were asked "
        "for there are void. {agent} stays your agent, and finds the new one in its profile."
    )
    label = "Replace the claim URL"
    note = "Replaced the claim URL."
    done = "{agent} has a new claim URL."

    def act(self, claim, subject, form, operator):
        claim.renew_url()


# By their path.
ACTIONS = {
    "pause": Pause,
    "resume": Resume,
    "issue-token": IssueToken,
    "revoke-token": RevokeToken,
    "revoke-tokens": RevokeTokens,
    "remove-skill": RemoveSkill,
    "remove-persona": RemovePersona,
    "limits": SetLimits,
    "new-claim-url": RenewClaimUrl,
    "release": Release,
}
