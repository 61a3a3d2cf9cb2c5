"""An operator's actions that install a skill or a persona, or activate a persona."""

from django import forms
from django.shortcuts import get_object_or_404
from rest_framework.exceptions import AuthenticationFailed

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from installs.exceptions import (
    PersonaAlreadyInstalled,
    PersonaRequiresPayment,
    SkillAlreadyInstalled,
)
from installs.models import PersonaInstall, SkillInstall
from marketplace.models import SLUG
from operators.actions.base import Action
from operators.forms import InstallForm, InstallPersonaForm

REFUSALS = {
    AuthenticationFailed: "The agent is {agent.state}. Only an active agent can get something new.",
    SkillNotFound: "No published skill has this slug.",
    PersonaNotFound: "No published persona has this slug.",
    SkillAlreadyInstalled: "The agent already has this skill.",
    PersonaAlreadyInstalled: "The agent already has this persona.",
    PersonaRequiresPayment: "This persona is not free, so it cannot be installed.",
}


class InstallEntry(Action):
    text = (
        "The agent loads it the next time it starts. It gets the newest version until you or the "
        "agent pins one."
    )
    label = "Install"
    installs = None
    form_class = InstallForm

    def form(self, claim, subject, data=None):
        return self.form_class(data)

    def act(self, claim, subject, form, operator):
        try:
            self.installs.objects.install(claim.agent, **form.cleaned_data)
        except tuple(REFUSALS) as error:
            refusal = REFUSALS[type(error)].format(agent=claim.agent)
            raise forms.ValidationError({"slug": refusal}) from error
        return form.cleaned_data["slug"]


class InstallSkill(InstallEntry):
    title = "Install a skill for {agent}"
    note = "Installed the skill {subject}."
    done = "Installed the skill {subject} for {agent}."
    installs = SkillInstall


class InstallPersona(InstallEntry):
    title = "Install a persona for {agent}"
    note = "Installed the persona {subject}."
    done = "Installed the persona {subject} for {agent}."
    installs = PersonaInstall
    form_class = InstallPersonaForm


class ActivatePersona(Action):
    title = "Activate {subject.entry} for {agent}?"
    text = (
        "The agent uses this persona from its next start, in place of the one that is active now."
    )
    label = "Activate"
    note = "Activated the persona {subject.entry}."
    done = "Activated the persona {subject.entry} for {agent}."
    subject_path = rf"/(?P<slug>{SLUG})"

    def subject(self, agent, slug):
        installs = PersonaInstall.objects.of_published().of_entry(slug)
        return get_object_or_404(installs, agent=agent)

    def act(self, claim, install, form, operator):
        if install.is_active:
            self.change_nothing()
        install.activate()
