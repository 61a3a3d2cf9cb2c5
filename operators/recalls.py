"""Entries that staff have withdrawn or recalled, and which of an operator's agents have them."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import CharField, Exists, F, IntegerField, OuterRef, Q, Value
from django.db.models.functions import Cast, Coalesce
from django.urls import reverse

from catalogue.models import Skill, Status, successor_slug
from installs.models import PersonaInstall, SkillInstall
from installs.reads import recalled_version

# In the order of Recall's fields.
COLUMNS = ["of_kind", "slug", "title", "recalled_number", "reason", "at", "successor"]


@dataclass
class Recall:
    """An entry that is gone, or one version of it, and the agents that have it."""

    kind: str
    slug: str
    title: str
    number: int | None  # of the version; None for the whole entry
    reason: str  # empty if the entry was only withdrawn
    at: datetime
    successor: str | None  # the slug of the replacement, while that is published
    agents: dict = field(default_factory=dict)  # {primary key: handle} of agents to act on
    settled: set = field(default_factory=set)  # primary keys of agents with nothing left to do

    def __str__(self):
        version = f"version {self.number} of " if self.number else ""
        return f"{version}the {self.kind} {self.slug}"

    @property
    def label(self):
        """The label of the button that acts on the recall."""
        if self.number:
            return f"Update {self.slug} to the newest version"
        if self.successor:
            return f"Replace {self.slug} with {self.successor}"
        return f"Remove {self.slug}"

    @property
    def done(self):
        """The label in the past tense."""
        verb, _, rest = self.label.partition(" ")
        return f"{verb}d {rest}"

    @property
    def path(self):
        version = {"number": self.number} if self.number else {}
        return reverse("operator-replace", kwargs={"kind": self.kind, "slug": self.slug, **version})


def recalls_of(agents):
    """The Recalls of what these agents have, the latest first."""
    recalls = {}
    for *about, is_settled, agent, handle in sorted(rows_of(agents), key=lambda row: row[-1]):
        kind, slug, _, number, *_ = about
        recall = recalls.setdefault((kind, slug, number), Recall(*about))
        if is_settled:
            recall.settled.add(agent)
        else:
            recall.agents[agent] = handle
    return sorted(recalls.values(), key=lambda recall: recall.at, reverse=True)


def rows_of(agents):
    """A row for each agent and entry; `reads.advisories` does the same for one agent."""
    parts = []
    for installs in (SkillInstall, PersonaInstall):
        own = installs.objects.present().filter(agent__in=agents)
        gone = own.exclude(**{f"{installs.kind}__status": Status.PUBLISHED})
        parts += [
            of_entry(gone, installs.Entry, installs.kind).annotate(is_settled=Value(value=False)),
            of_version(own, installs).annotate(is_settled=Value(value=False)),
        ]
    bundles = PersonaInstall.objects.present().filter(
        agent__in=agents, persona__skills__status=Status.WITHDRAWN
    )
    parts.append(settled_by_successor(of_entry(bundles, Skill, "persona__skills")))
    first, *others = (
        part.order_by().values_list(*COLUMNS, "is_settled", "agent_id", "agent__handle")
        for part in parts
    )
    return first.union(*others)


def of_entry(installs, model, relation):
    """Rows of installs whose entry is gone. `relation` leads from an install to the entry."""
    return installs.annotate(
        of_kind=Value(model.kind),
        slug=F(f"{relation}__slug"),
        title=F(f"{relation}__title"),
        recalled_number=Cast(None, IntegerField()),
        reason=F(f"{relation}__withdrawal_reason"),
        at=Coalesce(f"{relation}__withdrawn_at", f"{relation}__updated_at"),
        successor=successor_slug(model, f"{relation}__"),
    )


def settled_by_successor(bundles):
    """A persona no longer loads a withdrawn skill, so an agent can only lack the successor."""
    successors = SkillInstall.objects.present().filter(
        agent=OuterRef("agent"), skill__slug=OuterRef("successor")
    )
    return bundles.annotate(is_settled=Q(successor=None) | Exists(successors))


def of_version(installs, model):
    """Rows of installs with the text of a recalled version."""
    recalled = recalled_version(model)
    return installs.annotate(
        of_kind=Value(model.kind),
        slug=F(f"{model.kind}__slug"),
        title=F(f"{model.kind}__title"),
        recalled_number=recalled("number"),
        reason=recalled("recall_reason"),
        at=recalled("recalled_at"),
        successor=Cast(None, CharField()),
    ).exclude(recalled_number=None)
