"""An operator's action on a recall, for all agents that have the recalled entry."""

from django.db import transaction
from django.http import Http404
from rest_framework.exceptions import AuthenticationFailed

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from installs.exceptions import (
    PersonaAlreadyInstalled,
    PersonaRequiresPayment,
    SkillAlreadyInstalled,
)
from installs.models import PersonaInstall, SkillInstall, choices
from operators.actions.base import note_change
from operators.many_agents import ManyAgentsAction
from operators.recalls import recalls_of

INSTALLS = {"skill": SkillInstall, "persona": PersonaInstall}


class ReplaceRecalled(ManyAgentsAction):
    """It acts on each agent in a transaction of its own."""

    is_one_event = True
    template = "operator/replace.html"
    name = "replace_recalled"

    def subject(self, kind, slug, number=None):
        recalls = recalls_of(self.key.claims.claimed().values("agent"))
        key = (kind, slug, number and int(number))
        for recall in recalls:
            if recall.agents and (recall.kind, recall.slug, recall.number) == key:
                return recall
        raise Http404

    def has_moved(self, recall):
        """Whether staff have since named another successor."""
        return self.request.POST.get("successor", "") != (recall.successor or "")

    def change_all(self, recall):
        changed = set()
        for pk, handle in recall.agents.items():
            is_changed = self.change(recall, handle)
            if is_changed is None:
                return None
            if is_changed:
                changed.add(pk)
        return changed

    @transaction.atomic
    def change(self, recall, handle):
        """Whether the agent has changed; None if the session has just ended."""
        try:
            claim = self.lock_claim(handle)
        except Http404:
            return False  # the agent has just left
        if claim is None:
            return None
        operator, agent = claim.operator_name, claim.agent
        if not claim.is_full:
            return False
        agent.snapshot_before_change()
        if not self.act(recall, agent):
            return False
        note_change(self.name, agent, operator, f"{recall.done}.")
        return True

    def act(self, recall, agent):
        """Update to the newest version, or replace the recalled entry with its successor."""
        model = INSTALLS[recall.kind]
        own = model.objects.of_entry(recall.slug).filter(agent=agent).first()
        if recall.number:
            return own is not None and model.objects.filter(pk=own.pk).use(choices.newest) > 0
        if recall.successor and not install_successor(model, agent, recall.successor, own):
            return False
        if own is not None:
            own.uninstall()
        return own is not None or recall.successor is not None


def install_successor(model, agent, slug, own):
    """Whether the agent now has it. The successor of the active persona becomes active."""
    activates = {"activate": True} if getattr(own, "is_active", False) else {}
    try:
        model.objects.install(agent, slug, **activates)
    except (SkillAlreadyInstalled, PersonaAlreadyInstalled):
        if activates:
            model.objects.own(agent, slug).activate()
    except (AuthenticationFailed, SkillNotFound, PersonaNotFound, PersonaRequiresPayment):
        return False  # AuthenticationFailed: the agent is paused or suspended
    return True
