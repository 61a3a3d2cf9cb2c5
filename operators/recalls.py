"""Entries that staff have withdrawn or recalled, and which of an operator's agents have them."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, Value
from django.urls import reverse

from installs import reads
from installs.models import SkillInstall

COLUMNS = [*reads.ADVISORY, "successor_slug"]  # in the order of Recall's fields


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
    """A row for each agent and entry."""
    *installed, bundling = reads.advised(Q(agent__in=agents))
    parts = [part.annotate(is_settled=Value(value=False)) for part in installed]
    parts.append(settled_by_successor(bundling))
    return reads.union(parts, *COLUMNS, "is_settled", "agent_id", "agent__handle")


def settled_by_successor(bundling):
    """A persona no longer loads a withdrawn skill, so an agent can only lack the successor."""
    successors = SkillInstall.objects.present().filter(
        agent=OuterRef("agent"), skill__slug=OuterRef("successor_slug")
    )
    return bundling.annotate(is_settled=Q(successor_slug=None) | Exists(successors))
