"""An operator's actions on one skill or persona of an agent, even if the agent is paused."""

from django.shortcuts import get_object_or_404

from installs.models import choices
from marketplace.models import SLUG
from operators.actions.base import Action
from operators.forms import PinForm


class InstallAction(Action):
    """On the agent's install of a published entry, which the path names."""

    subject_path = rf"/(?P<slug>{SLUG})"
    model = None

    def subject(self, agent, slug):
        return get_object_or_404(self.installs(slug), agent=agent)

    def installs(self, slug):
        return self.model.objects.of_published().of_entry(slug)


class Remove(InstallAction):
    """Uninstall the entry, withdrawn or not."""

    title = "Remove {subject.entry} from {agent}?"
    text = (
        "The agent no longer gets it when it starts. Until then it may keep using a copy. It can "
        "install it again."
    )
    label = "Remove"
    is_dangerous = True
    note = "Removed the {subject.kind} {subject.entry}."
    done = "Removed {subject.entry} from {agent}."

    def installs(self, slug):
        return self.model.objects.of_entry(slug)

    def act(self, claim, install, form, operator):
        install.uninstall()


class Activate(InstallAction):
    title = "Activate {subject.entry} for {agent}?"
    text = (
        "The agent uses this persona from its next start, in place of the one that is active now."
    )
    label = "Activate"
    note = "Activated the persona {subject.entry}."
    done = "Activated the persona {subject.entry} for {agent}."

    def act(self, claim, install, form, operator):
        if install.is_active:
            self.change_nothing()
        install.activate()


class Move(InstallAction):
    """Change the agent's version of the entry; the manager of the installs has the rule."""

    def act(self, claim, install, form, operator):
        if not self.move(self.model.objects.filter(pk=install.pk), form):
            self.change_nothing()
        install.refresh_from_db(fields=["number"])
        return self.named(install)

    def named(self, install):
        return f"version {install.number} of the {install.kind} {install.entry}"

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
        return f"the {install.kind} {install.entry}"


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


# For skills and personas alike.
ACTIONS = {"pin": Pin, "unpin": Unpin, "update": Update, "remove": Remove}
