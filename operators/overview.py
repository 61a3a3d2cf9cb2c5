"""What the console shows of an agent (contract 19.5)."""

from django.db.models import F, Q

from catalogue.models import Persona
from installs import reads
from installs.limits import usages_of
from marketplace.features import has_submissions
from operators.changes import actions_of, changes_of
from operators.forms import LIMITED, SUBMITTING

MAX_ROWS = 100  # of each kind on a page
MAX_EVENTS = 20
UPDATE = ["kind", "slug", "number", "latest_number", "is_pinned", "changed_at"]
LABELS = {**LIMITED, **SUBMITTING, "confirm-claim": "Claim codes", "clone": "Clones"}


class Overview:
    def __init__(self, request, claim):
        agent = claim.agent
        # Requests to take over the agent, which the agent can still confirm.
        self.codes = claim.codes.valid().order_by("-pk")
        self.tokens = agent.tokens.valid()
        self.skills = NewestRows(request, "skills", listed(agent.skill_installs))
        self.personas = NewestRows(request, "personas", listed(agent.persona_installs))
        self.persona = active_in(self.personas, agent)
        self.tokens_at_start = reads.context_tokens([agent.pk]).get(agent.pk, 0)
        self.has_installs = bool(self.skills.rows or self.personas.rows)
        reviews = agent.reviews.present().select_related("persona")
        self.reviews = NewestRows(
            request, "reviews", reviews.defer(*Persona.long_columns("persona__"))
        )
        if has_submissions():
            self.submissions = NewestRows(request, "submissions", agent.submissions.for_list())
        self.advisories = reads.advisories(agent=agent.pk)
        self.updates = updates_of(agent)
        self.limits = [(LABELS[usage.policy], usage) for usage in usages_of(agent)]
        self.events = actions_of(claim)[:MAX_EVENTS]
        self.changes = changes_of(claim)


def active_in(personas, agent):
    """The active persona, which may be on another page of the list."""
    active = next((row for row in personas.rows if row.is_active), None)
    if active or not personas.older:
        return active
    return listed(agent.persona_installs).filter(is_active=True).first()


def updates_of(agent):
    """The installs that are behind, latest change first: as many as the list of agents counts."""
    parts = [installs.behind() for installs in reads.present(Q(agent=agent))]
    return list(reads.union(parts, *UPDATE, all=True).order_by("-changed_at", "slug"))


def listed(installs):
    """Installs as `_installs.html` shows them: those of recalled entries have the reason."""
    reason = F(f"{installs.model.kind}__withdrawal_reason")
    return installs.present().with_entry().annotate(withdrawal_reason=reason)


class NewestRows:
    """The newest `rows` before the id in the query. `older` is that id for the next page."""

    def __init__(self, request, name, queryset):
        before = request.GET.get(name, "")
        if before.isdecimal() and len(before) <= 18:
            queryset = queryset.filter(pk__lt=int(before))
        rows = list(queryset.order_by("-pk")[: MAX_ROWS + 1])
        self.rows = rows[:MAX_ROWS]
        self.older = self.rows[-1].pk if len(rows) > MAX_ROWS else None
