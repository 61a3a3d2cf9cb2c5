"""The list of an operator's agents: installs, pending work, and the tokens that a start loads."""

from urllib.parse import urlencode

from django.db.models import Count, Exists, F, Max, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, Lower, NullIf

from agents.models import AgentToken, ClaimCode
from installs.models import PersonaInstall, SkillInstall
from installs.reads import context_tokens
from operators.agents_filter import AgentsFilter
from operators.updating import to_update

MAX_AGENTS = 50  # on a page
SORTS = {
    "name": "Agent",
    "persona": "Active persona",
    "skills": "Skills",
    "advisories": "Advisories",
    "updates": "Updates",
    "tokens": "Context at start",
    "seen": "Last seen",
}
ORDERS = {
    "name": [],
    "persona": [F("persona").asc(nulls_last=True)],
    "skills": ["-skills"],
    "updates": ["-updates"],
    "seen": [F("last_used_at").desc(nulls_last=True)],
}
# An agent without a name is listed under its handle.
BY_NAME = [Lower(Coalesce(NullIf("agent__name", Value("")), "agent__handle")), "agent__handle"]


class AgentsList:
    """A page of the agents that match the query's filters, in the order of its `sort`."""

    columns = SORTS

    def __init__(self, key, query):
        self.filter = AgentsFilter(key, query)
        self.filter.offer()
        self.sort = query.get("sort", "name")
        if self.sort not in SORTS:
            self.sort = "name"
        self.recalls = [recall for recall in self.filter.recalls if recall.agents]
        self.page = page_in(query)
        matching = self.filter.claims()
        rows = self.fetch(matching)
        self.has_more, self.claims = len(rows) > MAX_AGENTS, rows[:MAX_AGENTS]
        self.skill = self.filter.chosen.get("skill")
        self.outdated = to_update(self.skill, matching).count() if self.skill else 0
        self.add_numbers()

    def add_numbers(self):
        """Set what the rows show that no column holds."""
        agents = [claim.agent_id for claim in self.claims]
        tokens, installs = context_tokens(agents), {}
        if self.skill:
            own = SkillInstall.objects.present().filter(agent__in=agents, skill__slug=self.skill)
            installs = {install.agent_id: install for install in own.with_entry()}
        for claim in self.claims:
            claim.advisories = self.filter.advisories[claim.agent_id]
            claim.tokens = tokens.get(claim.agent_id, 0)
            claim.install = installs.get(claim.agent_id)

    @property
    def previous(self):
        return self.address(page=self.page - 1)

    @property
    def next(self):
        return self.address(page=self.page + 1)

    def address(self, **values):
        """The query string of another page. It has only what the filter has understood."""
        sort = {} if self.sort == "name" else {"sort": self.sort}
        return "&".join(filter(None, [self.filter.query_string, urlencode(sort | values)]))

    def fetch(self, claims):
        """The rows of the page, plus one if there is another page."""
        start = (self.page - 1) * MAX_AGENTS
        end = start + MAX_AGENTS + 1
        if self.sort in ORDERS:
            ordered = with_numbers(claims).order_by(*ORDERS[self.sort], *BY_NAME)
            return list(ordered[start:end])
        # Values that no column holds are computed for all agents, and sorted here.
        agents = list(claims.order_by(*BY_NAME).values_list("agent", flat=True))
        by_advisories = self.sort == "advisories"
        numbers = self.filter.advisories if by_advisories else context_tokens(agents)
        keys = sorted(agents, key=lambda pk: -numbers.get(pk, 0))[start:end]
        rows = {claim.agent_id: claim for claim in with_numbers(claims.filter(agent__in=keys))}
        # A claim may have been released meanwhile.
        return [rows[pk] for pk in keys if pk in rows]


def with_numbers(claims):
    """Annotate what a row of the list shows."""
    own = {"agent": OuterRef("agent")}
    tokens = AgentToken.objects.filter(**own)
    # That of a connection is replaced when the client needs it again.
    of_connections = tokens.filter(connection__isnull=False, revoked_at=None)
    skills, personas = (
        model.objects.present().filter(**own) for model in (SkillInstall, PersonaInstall)
    )
    return claims.select_related("agent").annotate(
        persona=Subquery(personas.with_entry().filter(is_active=True).values("title")[:1]),
        skills=number_of(skills),
        personas=number_of(personas),
        updates=number_of(skills.behind()) + number_of(personas.behind()),
        deprecated=number_of(skills.deprecated()) + number_of(personas.deprecated()),
        last_used_at=Subquery(tokens.order_by().values("agent").values(last=Max("last_used_at"))),
        has_token=Exists(tokens.valid() | of_connections),
        is_asked_for=Exists(ClaimCode.objects.valid().filter(claim=OuterRef("pk"))),
    )


def number_of(rows):
    """How many rows an agent has, as a subquery."""
    numbers = rows.order_by().values("agent").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(numbers), 0)


def page_in(query):
    page = query.get("page", "")
    return max(1, int(page)) if page.isdecimal() and len(page) <= 6 else 1
