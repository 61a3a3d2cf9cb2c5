"""The changes of an agent that its operator did not make: staff's of texts, its own of installs."""

from datetime import timedelta
from typing import NamedTuple

from django.db.models import Exists, F, IntegerField, OuterRef, Value
from django.db.models.functions import Cast
from django.utils import timezone

from catalogue.models import Skill
from installs.models import PersonaInstall, SkillInstall

DAYS = 30
MAX_CHANGES = 50
SAME_ACTION = timedelta(seconds=10)  # between an install and its record in the history
COLUMNS = ["at", "what", "kind", "slug", "changed_number"]
NUMBER, NO_NUMBER = F("number"), Cast(None, IntegerField())
TEXTS = {
    "published": "Staff published version {version} of {slug}",
    "recalled": "Staff recalled version {version} of {slug}",
    "installed": "The agent installed {slug}",
    "removed": "The agent removed {slug}",
}


class ChangeByOthers(NamedTuple):
    at: str
    what: str  # of TEXTS
    kind: str
    slug: str
    version: int | None

    def __str__(self):
        return TEXTS[self.what].format(version=self.version, slug=self.slug)

    @property
    def before(self):
        """The number of the version to compare a published one with; otherwise None."""
        return self.version - 1 if self.what == "published" and self.version > 1 else None


def changes_of(claim):
    """The newest of the last days."""
    since = timezone.now() - timedelta(days=DAYS)
    first, *others = [
        part
        for model in (SkillInstall, PersonaInstall)
        for part in [*texts(model, claim.agent, since), *own(model, claim, since)]
    ]
    # Without duplicates: a skill can come both by itself and with the persona.
    rows = first.union(*others).order_by("-at", "slug", "what")[:MAX_CHANGES]
    return [ChangeByOthers(*row) for row in rows]


def texts(model, agent, since):
    """Versions of what the agent has or its active persona brings, from after the install."""
    ways = [(f"{model.kind}__agent_installs", {})]
    if model.Entry is Skill:
        ways.append(("skill__personas__agent_installs", {"is_active": True}))
    for path, values in ways:
        for what, at in (("published", "created_at"), ("recalled", "recalled_at")):
            passing = {"agent": agent, "removed_at": None, "installed_at__lt": F(at), **values}
            installed = {f"{path}__{name}": value for name, value in passing.items()}
            versions = model.Version.objects.filter(**installed, **{f"{at}__gte": since})
            yield rows_of(versions, what, at, model.kind)


def own(model, claim, since):
    """Installs and removals since the claim that are no actions of the operator."""
    installs = model.objects.filter(agent=claim.agent)
    for what in ("installed", "removed"):
        at = f"{what}_at"
        near = OuterRef(at) - SAME_ACTION, OuterRef(at) + SAME_ACTION
        named = {"history_change_reason__contains": OuterRef(f"{model.kind}__slug")}
        actions = actions_of(claim).filter(history_date__range=near, **named)
        rows = installs.filter(~Exists(actions), **{f"{at}__gte": max(since, claim.claimed_at)})
        yield rows_of(rows, what, at, model.kind, number=NO_NUMBER)


def rows_of(queryset, what, column, kind, number=NUMBER):
    names = {"at": F(column), "what": Value(what), "kind": Value(kind), "slug": F(f"{kind}__slug")}
    return queryset.order_by().annotate(**names, changed_number=number).values_list(*COLUMNS)


def actions_of(claim):
    """The actions of this operator on the agent, none of an earlier operator or of staff."""
    return claim.agent.history.filter(
        operator=claim.operator_name, history_date__gte=claim.claimed_at
    )
