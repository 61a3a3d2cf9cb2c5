"""What an agent has (contract 4)."""

from collections import defaultdict
from functools import cached_property

from django.db.models import Q, Value

from agents.models import OperatorClaim
from catalogue.models import Persona, Skill, Status
from marketplace.db.rows import instance_of
from profiles.sql import BUNDLED, NEWEST, PERSONA, SKILL


class Profile:
    """The newest `skills` and `personas` of an agent, its claim, and what follows from them.

    The row of PROFILE is all that an agent with fewer than NEWEST of each kind needs. The database
    is asked again for an agent that may have more, or that has a withdrawn entry.
    """

    def __init__(self, agent, row):
        self.agent = agent
        agent.claim = instance_of(OperatorClaim, row, "claim_")
        self.skills = SKILL.read_all(row.skills)
        self.personas = PERSONA.read_all(row.personas)
        self.bundled = BUNDLED.read_all(row.bundled)
        self.review_count = row.review_count

    @property
    def skill_count(self):
        if is_complete(self.skills):
            return len(self.skills)
        return self.agent.skill_installs.present().count()

    @property
    def persona_count(self):
        if is_complete(self.personas):
            return len(self.personas)
        return self.agent.persona_installs.present().count()

    @cached_property
    def slugs_by_persona(self):
        """The slugs of the published skills that come with each persona, by its public id."""
        slugs = defaultdict(list)
        for skill in self.bundled:
            if skill.status == Status.PUBLISHED:
                slugs[skill.persona_id].append(skill.slug)
        return slugs

    @property
    def active_persona(self):
        for persona in self.personas:
            if persona.is_active:
                return persona
        if is_complete(self.personas):
            return None
        active = self.agent.persona_installs.filter(is_active=True).values("persona")
        return Persona.objects.filter(pk__in=active).first()

    @property
    def recalled(self):
        """What was recalled of all that the agent has, the latest first; at most NEWEST."""
        statuses = {entry.status for entry in (*self.skills, *self.personas, *self.bundled)}
        has_all = is_complete(self.skills) and is_complete(self.personas)
        if has_all and Status.WITHDRAWN not in statuses:
            return []
        own_skills = self.agent.skill_installs.present().values("skill")
        own_personas = self.agent.persona_installs.present().values("persona")
        bundles = Persona.skills.through.objects.filter(persona__in=own_personas)
        skills = Skill.objects.filter(Q(pk__in=own_skills) | Q(pk__in=bundles.values("skill")))
        personas = Persona.objects.filter(pk__in=own_personas)
        return (
            recalled_of(skills, "skill")
            .union(recalled_of(personas, "persona"), all=True)
            .order_by("-withdrawn_at")[:NEWEST]
        )


def is_complete(rows):
    """Whether these are all rows, and not the newest of more."""
    return len(rows) < NEWEST


def recalled_of(entries, kind):
    columns = ("kind", "slug", "title", "withdrawal_reason", "withdrawn_at")
    return (
        entries.recalled().order_by().annotate(kind=Value(kind)).values_list(*columns, named=True)
    )
