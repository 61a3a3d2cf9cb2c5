"""What an agent has, and what it should stop using or update (contract 13).

Read from the primary, so that agents see their own writes.
"""

from django.db.models import Case, F, IntegerField, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Cast

from catalogue.models import Persona, PersonaVersion, Skill, SkillVersion, Status
from infrastructure.db.compiled_queries import compiled
from infrastructure.db.statements import fetch_all
from installs.manifest import Manifest
from installs.models import PersonaInstall, SkillInstall
from installs.profile_sql import CONTEXT_TOKENS, MANIFEST, NEWEST
from marketplace.api.lists import KeysetList


class OwnInstallList(KeysetList):
    def __init__(self, model):
        self.model = model

    def get_queryset(self, agent):
        return self.model.objects.present().filter(agent_id=agent).with_entry()


skills, personas = OwnInstallList(SkillInstall), OwnInstallList(PersonaInstall)


def manifest(agent, *, with_content=False):
    params = {"agent": agent.pk, "with_content": with_content}
    return Manifest(fetch_all(MANIFEST, params), with_content=with_content)


def context_tokens(agents):
    """`{agent: tokens}` of what each of these agents loads when it starts, by their keys."""
    return {pk: int(tokens) for pk, tokens in fetch_all(CONTEXT_TOKENS, {"agents": list(agents)})}


def rows_of(queryset, kind, columns):
    """Rows for a union, each with its kind."""
    return queryset.order_by().annotate(kind=Value(kind)).values_list("kind", *columns, named=True)


@compiled
def advisories(agent):
    """Installs that are no longer in the catalogue, latest first.

    That is a whole entry, or a version that staff recalled: its `recalled_number` is not null. A
    draft that a persona bundles is left out, because it may never have been published.
    """
    own_skills, own_personas = (
        installs.objects.present().filter(agent_id=agent).values(installs.kind)
        for installs in (SkillInstall, PersonaInstall)
    )
    bundled = Persona.skills.through.objects.filter(persona__in=own_personas).values("skill")
    has_it = Q(pk__in=own_skills) | Q(pk__in=bundled, status=Status.WITHDRAWN)
    first, *others = (
        withdrawn(Skill.objects.filter(has_it), "skill"),
        withdrawn(Persona.objects.filter(pk__in=own_personas), "persona"),
        recalled_versions(SkillInstall, SkillVersion, agent),
        recalled_versions(PersonaInstall, PersonaVersion, agent),
    )
    return first.union(*others, all=True).order_by("-gone_since")


def withdrawn(entries, kind):
    entries = entries.unpublished().annotate(recalled_number=Cast(None, IntegerField()))
    columns = ["slug", "title", "recalled_number", "withdrawal_reason", "gone_since"]
    return rows_of(entries, kind, columns)


def recalled_versions(installs, versions, agent):
    kind = installs.kind
    own = installs.objects.present().filter(agent_id=agent)
    own = own.annotate(recalled=recalled_version(installs)("pk"))
    rows = versions.objects.filter(pk__in=own.order_by().values("recalled"))
    entry = [f"{kind}__slug", f"{kind}__title"]
    return rows_of(rows, kind, [*entry, "number", "recall_reason", "recalled_at"])


def recalled_version(installs):
    """A function that selects a column of the recalled version whose text an install has.

    The install may be pinned or not. If several recalled numbers have this text, the number of the
    install comes first.
    """
    of_text = {installs.kind: OuterRef(installs.kind), "digest": OuterRef("installed_digest")}
    recalled = installs.Version.objects.exclude(recalled_at=None).filter(**of_text)
    place = Case(When(number=OuterRef("number"), then=0), default=1)
    first = recalled.annotate(place=place).order_by("place", "-number")
    return lambda column: Subquery(first.values(column)[:1])


@compiled
def updates(agent):
    """Installs whose entry has another text now, latest change first; at most NEWEST."""
    columns = ["slug", "version", "latest_digest", "installed_digest", "changed_at"]
    skills, personas = (
        rows_of(
            installs.objects.present()
            .with_entry()
            .filter(is_outdated=True, agent_id=agent, pinned=None)
            .annotate(changed_at=F(f"{installs.kind}__updated_at")),
            installs.kind,
            columns,
        )
        for installs in (SkillInstall, PersonaInstall)
    )
    return skills.union(personas, all=True).order_by("-changed_at")[:NEWEST]
