"""An operator's action on a recall, for all agents that have the recalled entry."""

from django.contrib import messages
from django.db import transaction
from django.http import Http404
from django.shortcuts import redirect
from rest_framework.exceptions import AuthenticationFailed

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from installs.exceptions import (
    PersonaAlreadyInstalled,
    PersonaRequiresPayment,
    SkillAlreadyInstalled,
)
from installs.models import PersonaInstall, SkillInstall, choices
from marketplace.ratelimits.windows import Caller, count
from operators.actions.base import note_change
from operators.pages import Console, too_many
from operators.recalls import recalls_of

INSTALLS = {"skill": SkillInstall, "persona": PersonaInstall}
MAX_NAMED = 10  # agents in a message: its cookie holds 2 KB, and a longer one is not sent


class ReplaceRecalled(Console):
    """GET asks for confirmation. POST acts on each agent in a transaction of its own."""

    is_one_event = True

    def get(self, request, **path):
        return self.render("operator/replace.html", recall=self.recall(**path))

    def post(self, request, **path):
        usage = count(request, "manage", Caller(f"operator {self.key.pk}"))
        if usage.is_exceeded:
            return too_many(request, usage)
        recall = self.recall(**path)
        if request.POST.get("successor", "") != (recall.successor or ""):
            # Staff have since named another successor: the operator has to confirm that one.
            return self.render("operator/replace.html", recall=recall)
        changed, left_out = [], []
        for handle in recall.agents.values():
            is_changed = self.replace(recall, handle)
            if is_changed is None:
                return self.ask_for_key()
            (changed if is_changed else left_out).append(handle)
        if changed:
            messages.success(request, f"{recall.done}: {in_words(changed)}.")
        if left_out:
            text = f"Left out: {in_words(left_out)}. Open the page of an agent to see why."
            messages.warning(request, text)
        return redirect("operator")

    def recall(self, kind, slug, number=None):
        recalls = recalls_of(self.key.claims.claimed().values("agent"))
        key = (kind, slug, number and int(number))
        for recall in recalls:
            if recall.agents and (recall.kind, recall.slug, recall.number) == key:
                return recall
        raise Http404

    @transaction.atomic
    def replace(self, recall, handle):
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
        if not act(recall, agent):
            return False
        note_change("replace_recalled", agent, operator, f"{recall.done}.")
        return True


def act(recall, agent):
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


def in_words(handles):
    """For example "ant, bee, and 3 more"."""
    names, more = handles[:MAX_NAMED], len(handles[MAX_NAMED:])
    return ", ".join([*names, f"and {more} more"] if more else names)
