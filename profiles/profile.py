"""What an agent has (contract 4; lifecycle 11 and 14)."""

from collections import defaultdict

from django.db.models import F, Q, Value
from django.utils.functional import cached_property

from agents.models import OperatorClaim
from catalogue.models import Persona, Skill, Status
from installs.models import PersonaInstall, SkillInstall
from marketplace.db.compiled_queries import BindParam, CompiledQuery
from marketplace.db.rows import instance_of
from profiles.sql import BUNDLED, NEWEST, OUTDATED, PERSONA, SKILL


class Profile:
    """The newest `skills` and `personas` of an agent, its claim, and what follows from them.

    The row of PROFILE is all that an agent with fewer than NEWEST of each kind needs. The database
    is asked again for an agent that may have more, or that has something withdrawn or outdated.
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
            if skill.state == Status.PUBLISHED:
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
    def advisories(self):
        if self.lacks({Status.WITHDRAWN, Status.DRAFT}):
            return []
        return advisories_of(agent=self.agent.pk)

    @property
    def updates(self):
        return [] if self.lacks({OUTDATED}) else updates_of(agent=self.agent.pk)

    def lacks(self, states):
        """Whether nothing that the agent has is in one of these states, for certain."""
        has_all = is_complete(self.skills) and is_complete(self.personas)
        return has_all and states.isdisjoint(self.states)

    @cached_property
    def states(self):
        return {entry.state for entry in (*self.skills, *self.personas, *self.bundled)}


def is_complete(rows):
    """Whether these are all rows, and not the newest of more."""
    return len(rows) < NEWEST


def rows_of(queryset, kind, columns):
    """Rows that a union takes, each with its kind."""
    return queryset.order_by().annotate(kind=Value(kind)).values_list("kind", *columns, named=True)


def advisories():
    """What of all that the bound `agent` has is in the catalogue no more, the latest first.

    A draft that a persona bundles is left out, because it may never have been published.
    """
    columns = ["slug", "title", "withdrawal_reason", "gone_since"]
    own_skills, own_personas = (
        installs.objects.present().filter(agent_id=BindParam("agent")).values(installs.kind)
        for installs in (SkillInstall, PersonaInstall)
    )
    bundled = Persona.skills.through.objects.filter(persona__in=own_personas).values("skill")
    has_it = Q(pk__in=own_skills) | Q(pk__in=bundled, status=Status.WITHDRAWN)
    skills = rows_of(Skill.objects.filter(has_it).unpublished(), "skill", columns)
    personas = Persona.objects.filter(pk__in=own_personas).unpublished()
    return skills.union(rows_of(personas, "persona", columns), all=True).order_by("-gone_since")


def updates():
    """What the bound `agent` has another text of, the newest change first; at most NEWEST."""
    columns = ["slug", "version", "entry_digest", "installed_digest", "changed_at"]
    skills, personas = (
        rows_of(
            installs.objects.present()
            .with_entry()
            .filter(is_outdated=True, agent_id=BindParam("agent"))
            .annotate(changed_at=F(f"{installs.kind}__updated_at")),
            installs.kind,
            columns,
        )
        for installs in (SkillInstall, PersonaInstall)
    )
    return skills.union(personas, all=True).order_by("-changed_at")[:NEWEST]


advisories_of, updates_of = CompiledQuery(advisories()), CompiledQuery(updates())
