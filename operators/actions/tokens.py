"""An operator's actions on the tokens of an agent."""

from django.shortcuts import get_list_or_404, get_object_or_404
from django.urls import reverse

from agents import tokens
from marketplace.shown_once import redirect_to_show
from operators.actions.base import Action
from operators.forms import ConsoleTokenForm

BY_OPERATOR = "Revoked by its operator"


class IssueToken(Action):
    title = "Issue a token to {agent}"
    text = (
        "The next page shows the token once. Save it where the agent reads its token. The "
        "agent's other tokens keep working until you revoke them."
    )
    label = "Issue token"
    note = "Issued the token {subject}."

    def form(self, claim, subject, data=None):
        return ConsoleTokenForm(data)

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
        path = reverse("operator-token", args=[agent.handle, token.public_id])
        return redirect_to_show(path, text=token.text, key=self.key.pk)


class RevokeToken(Action):
    title = "Revoke the token {subject}?"
    text = "The API refuses it from now on. You cannot undo this."
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
        "The API refuses all of them from now on. You cannot undo this. To bring the agent back, "
        "issue it a new token."
    )
    label = "Revoke all"
    is_dangerous = True
    note = "Revoked every token."
    done = "Revoked every token of {agent}. Issue a new one to bring it back."

    def subject(self, agent):
        return get_list_or_404(agent.tokens.valid())

    def act(self, claim, valid, form, operator):
        for token in valid:
            revoke(token, operator)


def revoke(token, operator):
    token.snapshot_before_change()
    token.revoke(BY_OPERATOR)
    token.take_snapshot(operator=operator, reason=f"{BY_OPERATOR}.")
