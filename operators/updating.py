"""An operator's update of one skill, for all agents that match a filter (contract 19.24)."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import F
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse

from catalogue.models import Skill
from installs.models import SkillInstall, choices
from operators.actions.base import listed, note_changes
from operators.agents_filter import AgentsFilter
from operators.many_agents import MAX_AT_ONCE, MAX_NAMED, ManyAgentsAction, to_act_on


def to_update(slug, claims):
    """The installs of a skill that an update changes, of the agents of these claims."""
    agents = to_act_on(claims).values("agent")
    installs = SkillInstall.objects.of_entry(slug).filter(agent__in=agents)
    return installs.to_use(choices.newest)


def handles_of(claims):
    return list(claims.order_by("agent__handle").values_list("agent__handle", flat=True))


@dataclass
class SkillUpdate:
    skill: Skill
    installs: list  # by handle, with the `chosen_number`
    has_more: bool
    left_out: dict  # other agents of the list: `{reason: their handles in words}`

    @property
    def agents(self):
        return {install.agent_id: install.handle for install in self.installs}

    @property
    def label(self):
        return f"Update {self.skill} to version {self.skill.number}"

    @property
    def done(self):
        return f"Updated {self.skill} to version {self.skill.number}"


class UpdateSkill(ManyAgentsAction):
    """POST changes only agents that the page showed, to the version that it showed."""

    template = "operator/update_skill.html"
    name = "update_skill"

    def subject(self, slug):
        skill = get_object_or_404(Skill.objects.published().only("slug", "number"), slug=slug)
        self.filter = AgentsFilter(self.key, self.request.GET)
        if self.filter.chosen.get("skill") != slug:
            raise Http404
        installs = to_update(slug, self.filter.claims()).order_by("agent__handle")
        installs = installs.annotate(handle=F("agent__handle"), agent_name=F("agent__name"))
        if self.request.method == "POST":
            installs = installs.filter(agent__handle__in=self.shown("agents").split(","))
        rows = list(installs[: MAX_AT_ONCE + 1])
        left_out = self.left_out(skill) if self.request.method == "GET" else {}
        return SkillUpdate(skill, rows[:MAX_AT_ONCE], len(rows) > MAX_AT_ONCE, left_out)

    def left_out(self, skill):
        claims = self.filter.claims()
        own = SkillInstall.objects.of_entry(skill.slug).filter(number=skill.number)
        left_out = {
            f"use version {skill.number} already": claims.filter(agent__in=own.values("agent")),
            "are yours only to view": claims.exclude(pk__in=to_act_on(claims)),
        }
        words = {why: listed(handles_of(rows), MAX_NAMED) for why, rows in left_out.items()}
        return {why: handles for why, handles in words.items() if handles}

    def shown(self, name):
        return self.request.POST.get(name, "").replace("\0", "")

    def has_moved(self, update):
        """Whether there is a newer version since, or nothing to change."""
        return self.shown("number") != str(update.skill.number) or not update.installs

    @transaction.atomic
    def change_all(self, update):
        """One statement for all installs. Their agents stay locked until it ends."""
        claims = self.lock_claims(update.agents)
        if claims is None:
            return None
        installs = SkillInstall.objects.of_entry(update.skill.slug).filter(agent__in=claims)
        choice = choices.numbered(update.skill.number)
        changed = set(installs.to_use(choice).values_list("agent", flat=True))
        installs.use(choice)
        note_changes(self.name, [claims[pk] for pk in changed], f"{update.done}.")
        return changed

    def next_page(self):
        return f"{reverse('operator')}?{self.filter.query_string}"
