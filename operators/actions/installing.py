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
from operators.agents_filter import text_of
from operators.forms import InstallForm
from operators.matches import Matches

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
    template = "operator/install.html"
    model = None
    form_class = InstallForm

    def subject(self, agent):
        """The kind of install, until `act` returns the install itself."""
        return self.model

    def form(self, claim, subject, data=None):
        form = self.form_class(data)
        form.fields["slug"].label = self.model.kind.capitalize()
        return form

    def details(self, claim, form):
        """The matches of the words in the query, or of a slug that was refused."""
        refused = self.request.POST.get("slug", "") if form.errors else ""
        words = text_of(refused or self.request.GET.get("q", ""))
        return {"matches": Matches(self.request, self.model, claim.agent, words)}

    def act(self, claim, subject, form, operator):
        try:
            return self.model.objects.install(claim.agent, **form.cleaned_data)
        except tuple(REFUSALS) as error:
            refusal = REFUSALS[type(error)].format(agent=claim.agent)
            raise forms.ValidationError({"slug": refusal}) from error
