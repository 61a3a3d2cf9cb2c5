from typing import NamedTuple

from django import forms
from django.conf import settings

from marketplace.api.scopes import DEFAULT_SCOPES, Scope

MAX_AGENTS = 500  # that the page offers
NEW = "new"
# Each scope in words, for the person who ticks it.
IN_WORDS = {
    Scope.READ: "See the catalogue, and what the agent has",
    Scope.INSTALL: "Install, update and remove skills and personas",
    Scope.REVIEW: "Review personas and report problems",
}


class Chosen(NamedTuple):
    handle: str
    is_new: bool  # an agent whose operator is that of the agent with the handle


class ConsentForm(forms.Form):
    """The agent of the operator key that the client acts as, and what it may do.

    An agent is chosen by its handle, and a new one by `new` and the handle of the agent whose
    operator's name and address it gets.
    """

    agent = forms.ChoiceField(
        label="It acts as your agent",
        # Django's own text repeats what was sent.
        error_messages={"invalid_choice": "Choose from the list."},
    )
    scopes = forms.MultipleChoiceField(
        label="It may",
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "invalid_choice": "Choose from the list.",
            "required": "Allow at least one of these, or deny the connection.",
        },
    )

    def __init__(self, key, scopes, data=None):
        super().__init__(data)
        claims = key.claims.claimed().select_related("agent").filter(agent__suspended_at=None)
        full = claims.filter(scopes__contains=list(DEFAULT_SCOPES))
        agents = full.filter(agent__paused_at=None).order_by("agent__handle")[:MAX_AGENTS]
        choices = [(claim.agent.handle, named(claim.agent)) for claim in agents]
        if settings.REGISTRATION == "open" or full.exists():
            choices += new_agents(claims)
        self.fields["agent"].choices = choices
        self.fields["agent"].initial = next((value for value, _ in choices), None)
        self.fields["scopes"].choices = [(scope, IN_WORDS[scope]) for scope in scopes]
        self.fields["scopes"].initial = scopes

    @property
    def offers_agents(self):
        return bool(self.fields["agent"].choices)

    def clean_agent(self):
        start, _, handle = self.cleaned_data["agent"].rpartition(" ")
        return Chosen(handle, start == NEW)


def named(agent):
    return f"{agent.handle} ({agent.name})" if agent.name else agent.handle


def new_agents(claims):
    """A choice for each name and address that the operator has given, by its first claim.

    A new agent does not change it, so the same answer may be sent again.
    """
    rows = claims.order_by("operator_name", "operator_email", "pk")
    people = rows.distinct("operator_name", "operator_email")[:MAX_AGENTS]
    text = "A new agent for this client"
    is_one = len(people) == 1
    return [
        (
            f"{NEW} {claim.agent.handle}",
            text if is_one else f"{text}, of {claim.operator_name} as for {claim.agent.handle}",
        )
        for claim in people
    ]
