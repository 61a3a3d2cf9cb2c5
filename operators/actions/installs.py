"""What an operator does with one skill or persona that an agent has, also if it is paused."""

from django.shortcuts import get_object_or_404

from installs.models import PersonaInstall, SkillInstall
from marketplace.models import SLUG
from operators.actions.base import Action


class Remove(Action):
    """Uninstall what the path names, withdrawn or not."""

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
