"""An operator's action that installs a skill or a persona."""

from django import forms
from rest_framework.exceptions import AuthenticationFailed

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from installs.exceptions import (
    PersonaAlreadyInstalled,
    PersonaRequiresPayment,
    SkillAlreadyInstalled,
)
from operators.actions.base import Action
from operators.forms import InstallForm

REFUSALS = {
    AuthenticationFailed: "The agent is {agent.state}. Only an active agent can get something new.",
    SkillNotFound: "No published skill has this slug.",
    PersonaNotFound: "No published persona has this slug.",
    SkillAlreadyInstalled: "The agent already has this skill.",
    PersonaAlreadyInstalled: "The agent already has this persona.",
    PersonaRequiresPayment: "This persona is not free, so it cannot be installed.",
}


class InstallEntry(Action):
    title = "Install a {subject.kind} for {agent}"
    text = (
        "The agent loads it the next time it starts. It gets the newest version until you or the "
        "agent pins one."
    )
    label = "Install"
    note = "Installed the {subject.kind} {subject.entry}."
    done = "Installed the {subject.kind} {subject.entry} for {agent}."
    model = None
    form_class = InstallForm

    def subject(self, agent):
        """The kind of install, until `act` returns the install itself."""
        return self.model

    def form(self, claim, subject, data=None):
        return self.form_class(data)

    def act(self, claim, subject, form, operator):
        try:
            return self.model.objects.install(claim.agent, **form.cleaned_data)
        except tuple(REFUSALS) as error:
            refusal = REFUSALS[type(error)].format(agent=claim.agent)
            raise forms.ValidationError({"slug": refusal}) from error
