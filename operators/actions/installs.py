"""An operator's actions on one skill or persona of an agent, even if the agent is paused."""

from django.shortcuts import get_object_or_404

from installs.models import PersonaInstall, SkillInstall, choices
from marketplace.models import SLUG
from operators.actions.base import Action
from operators.forms import PinForm


class Remove(Action):
    """Uninstall what the path names, withdrawn or not."""

    title = "Remove {subject} from {agent}?"
    text = (
        "The agent no longer gets it when it starts. Until then it may keep using a copy. It can "
        "install it again."
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


class Move(Action):
    """Change the agent's version of a published entry; the manager of the installs has the rule."""

    subject_path = rf"/(?P<slug>{SLUG})"
    installs = None

    def subject(self, agent, slug):
        installs = self.installs.objects.of_published().of_entry(slug)
        return get_object_or_404(installs, agent=agent)

    def act(self, claim, install, form, operator):
        if not self.move(self.installs.objects.filter(pk=install.pk), form):
            self.change_nothing()
        install.refresh_from_db(fields=["number"])
        return self.named(install)

    def named(self, install):
        return f"version {install.number} of the {self.installs.kind} {install.entry}"

    def move(self, installs, form):
        """Returns how many changed."""
        raise NotImplementedError


class Pin(Move):
    title = "Pin {subject.entry} for {agent}?"
    text = (
        "The agent keeps the version that you choose, even when newer ones are published. You and "
        "the agent can both change or remove the pin."
    )
    label = "Pin"
    note = "Pinned {subject}."
    done = "Pinned {subject} for {agent}."

    def form(self, claim, install, data=None):
        return PinForm(install, data)

    def move(self, installs, form):
        return installs.use(choices.numbered(form.cleaned_data["version"]), is_pinned=True)


class Unpin(Move):
    title = "Unpin {subject.entry} for {agent}?"
    text = "The agent gets the newest version again, now and whenever a new one is published."
    label = "Unpin"
    note = "Unpinned {subject}."
    done = "Unpinned {subject} for {agent}."

    def move(self, installs, form):
        return installs.end_pins()

    def named(self, install):
        return f"the {self.installs.kind} {install.entry}"


class Update(Move):
    title = "Update {subject.entry} for {agent}?"
    text = (
        "From now on the agent uses version {subject.entry.number}, the newest. If it is pinned, "
        "the pin moves to it."
    )
    label = "Update"
    note = "Updated to {subject}."
    done = "Updated {agent} to {subject}."

    def move(self, installs, form):
        return installs.use(choices.newest)


class PinSkill(Pin):
    installs = SkillInstall


class PinPersona(Pin):
    installs = PersonaInstall


class UnpinSkill(Unpin):
    installs = SkillInstall


class UnpinPersona(Unpin):
    installs = PersonaInstall


class UpdateSkill(Update):
    installs = SkillInstall


class UpdatePersona(Update):
    installs = PersonaInstall
