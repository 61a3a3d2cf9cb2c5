"""What an agent has (contract 6, 13.12, 16.5)."""

from collections import defaultdict, namedtuple

from django.utils.functional import cached_property

from agents.models import OperatorClaim
from catalogue.models import Persona, Status
from installs import reads
from installs.sql import BUNDLED, NEWEST, OUTDATED, PERSONA, SKILL
from marketplace.rows import instance_of

WithSkills = namedtuple("WithSkills", [*PERSONA.row._fields, "skill_slugs"])  # noqa: PYI024


class Profile:
    """The newest `skills` and `personas` of an agent, its claim, and everything derived from them.

    For an agent with fewer than NEWEST of each kind, the row of PROFILE is enough. The database is
    queried again if the agent may have more, or has something withdrawn or outdated.
    """

    def __init__(self, agent, row):
        self.agent = agent
        agent.claim = instance_of(OperatorClaim, row, "claim_")
        self.skills = SKILL.read_all(row.skills)
        self.personas = PERSONA.read_all(row.personas)
        self.bundled = BUNDLED.read_all(row.bundled)
        self.review_count = row.review_count
        self.maintained_skills, self.maintained_personas = row.maintained

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

    @property
    def personas_with_skills(self):
        """The personas, each with the `skill_slugs` of the published skills that come with it."""
        slugs = defaultdict(list)
        for skill in self.bundled:
            if skill.state == Status.PUBLISHED:
                slugs[skill.persona_id].append(skill.slug)
        return [WithSkills(*persona, slugs[persona.public_id]) for persona in self.personas]

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
        # An agent that has a recalled version has an outdated install or a withdrawn entry.
        if self.lacks({Status.WITHDRAWN, Status.DRAFT, OUTDATED}):
            return []
        return reads.advisories(agent=self.agent.pk)

    @property
    def updates(self):
        return [] if self.lacks({OUTDATED}) else reads.updates(agent=self.agent.pk)

    def lacks(self, states):
        """Whether certainly no install of the agent is in one of these states."""
        has_all = is_complete(self.skills) and is_complete(self.personas)
        return has_all and states.isdisjoint(self.states)

    @cached_property
    def states(self):
        return {entry.state for entry in (*self.skills, *self.personas, *self.bundled)}


def is_complete(rows):
    """Whether these are all rows, not just the newest."""
    return len(rows) < NEWEST
