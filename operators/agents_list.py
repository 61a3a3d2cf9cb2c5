"""The list of an operator's agents: installs, pending work, and the tokens that a start loads."""

from collections import Counter

from django.db.models import Count, Exists, F, Max, OuterRef, Subquery
from django.db.models.functions import Coalesce

from agents.models import Agent, AgentToken, ClaimCode
from installs.models import PersonaInstall, SkillInstall
from installs.reads import context_tokens
from marketplace.secrets import holds_token
from operators.recalls import recalls_of

MAX_AGENTS = 50  # on a page
SORTS = {
    "handle": "Agent",
    "persona": "Active persona",
    "skills": "Skills",
    "advisories": "Advisories",
    "updates": "Updates",
    "tokens": "Context at start",
    "seen": "Last seen",
}
ORDERS = {
    "handle": [],
    "persona": [F("persona").asc(nulls_last=True)],
    "skills": ["-skills"],
    "updates": ["-updates"],
    "seen": [F("last_used_at").desc(nulls_last=True)],
}


class AgentsList:
    """A page of the agents that match the query's `q`, in the order of its `sort`."""

    columns = SORTS

    def __init__(self, key, query):
        self.all = key.claims.claimed()
        self.q, self.sort = text_of(query.get("q", "")), query.get("sort", "handle")
        if self.sort not in SORTS:
            self.sort = "handle"
        recalls = recalls_of(self.all.values("agent"))
        self.recalls = [recall for recall in recalls if recall.agents]
        self.advisories = Counter(
            pk for recall in recalls for pk in recall.settled.union(recall.agents)
        )
        self.page = page_in(query)
        named = {"agent__in": Agent.objects.named(self.q)} if self.q else {}
        rows = self.fetch(self.all.filter(**named))
        self.has_more, self.claims = len(rows) > MAX_AGENTS, rows[:MAX_AGENTS]
        tokens = context_tokens(claim.agent_id for claim in self.claims)
        for claim in self.claims:
            claim.advisories = self.advisories[claim.agent_id]
            claim.tokens = tokens.get(claim.agent_id, 0)

    def fetch(self, claims):
        """The rows of the page, plus one if there is another page."""
        start = (self.page - 1) * MAX_AGENTS
        end = start + MAX_AGENTS + 1
        if self.sort in ORDERS:
            ordered = with_numbers(claims).order_by(*ORDERS[self.sort], "agent__handle")
            return list(ordered[start:end])
        # Values that no column holds are computed for all agents, and sorted here.
        agents = list(claims.order_by("agent__handle").values_list("agent", flat=True))
        numbers = self.advisories if self.sort == "advisories" else context_tokens(agents)
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
        updates=number_of(skills.outdated()) + number_of(personas.outdated()),
        last_used_at=Subquery(tokens.order_by().values("agent").values(last=Max("last_used_at"))),
        has_token=Exists(tokens.valid() | of_connections),
        is_asked_for=Exists(ClaimCode.objects.valid().filter(claim=OuterRef("pk"))),
    )


def number_of(rows):
    """How many rows an agent has, as a subquery."""
    numbers = rows.order_by().values("agent").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(numbers), 0)


def text_of(q):
    """The text of a search. A secret that somebody pasted is not written back into the page."""
    return "" if holds_token(q) else q.replace("\0", "").strip()[:100]


def page_in(query):
    page = query.get("page", "")
    return max(1, int(page)) if page.isdecimal() and len(page) <= 6 else 1
