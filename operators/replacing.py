"""An operator's action on a recall, for all agents that have the recalled entry."""

from django.db import transaction
from django.http import Http404

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from installs.exceptions import PersonaRequiresPayment
from installs.models import PersonaInstall, SkillInstall, choices
from operators.actions.base import note_changes
from operators.many_agents import MAX_AT_ONCE, ManyAgentsAction
from operators.recalls import recalls_of

INSTALLS = {"skill": SkillInstall, "persona": PersonaInstall}


class ReplaceRecalled(ManyAgentsAction):
    """A transaction for each MAX_AT_ONCE agents: after an interruption, the others are left."""

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
        agents, changed = [*recall.agents], set()
        for start in range(0, len(agents), MAX_AT_ONCE):
            part = self.change(recall, agents[start : start + MAX_AT_ONCE])
            if part is None:
                return None
            changed |= part
        return changed

    @transaction.atomic
    def change(self, recall, agents):
        """The primary keys of the agents that have changed; None if the session has just ended."""
        claims = self.lock_claims(agents)
        if claims is None:
            return None
        changed = act(recall, [claim.agent for claim in claims.values()])
        note_changes(self.name, [claims[pk] for pk in changed], f"{recall.done}.")
        return changed


def act(recall, agents):
    """Update to the newest version, or replace the recalled entry with its successor.

    Returns the primary keys of the agents that have changed. All are locked.
    """
    model = INSTALLS[recall.kind]
    installs = model.objects.of_entry(recall.slug).filter(agent__in=agents)
    if recall.number:
        changed = pks_of(installs.to_use(choices.newest))
        installs.use(choices.newest)
        return changed
    if recall.successor is None:
        changed = pks_of(installs)
        installs.uninstall_all()
        return changed
    active = [agent for agent in agents if agent.state == "active"]
    try:
        model.objects.replace_each(active, recall.slug, recall.successor)
    except (SkillNotFound, PersonaNotFound, PersonaRequiresPayment):
        return set()
    return {agent.pk for agent in active}


def pks_of(installs):
    return set(installs.values_list("agent", flat=True))
