"""What an agent loads when it starts, and what it should stop using or update (contract 13)."""

from django.db.models import F, Q, Value

from catalogue.models import Persona, Skill, Status
from infrastructure.db.compiled_queries import compiled
from infrastructure.db.statements import fetch_all
from installs.models import PersonaInstall, SkillInstall
from profiles.manifest import Manifest
from profiles.sql import MANIFEST, NEWEST


def manifest(agent, *, with_content=False):
    params = {"agent": agent.pk, "with_content": with_content}
    return Manifest(fetch_all(MANIFEST, params), with_content=with_content)


def rows_of(queryset, kind, columns):
    """Rows that a union takes, each with its kind."""
    return queryset.order_by().annotate(kind=Value(kind)).values_list("kind", *columns, named=True)


@compiled
def advisories(agent):
    """What of all that an agent has is in the catalogue no more, the latest first.

    A draft that a persona bundles is left out, because it may never have been published.
    """
    columns = ["slug", "title", "withdrawal_reason", "gone_since"]
    own_skills, own_personas = (
        installs.objects.present().filter(agent_id=agent).values(installs.kind)
        for installs in (SkillInstall, PersonaInstall)
    )
    bundled = Persona.skills.through.objects.filter(persona__in=own_personas).values("skill")
    has_it = Q(pk__in=own_skills) | Q(pk__in=bundled, status=Status.WITHDRAWN)
    skills = rows_of(Skill.objects.filter(has_it).unpublished(), "skill", columns)
    personas = Persona.objects.filter(pk__in=own_personas).unpublished()
    return skills.union(rows_of(personas, "persona", columns), all=True).order_by("-gone_since")


@compiled
def updates(agent):
    """What an agent has another text of, the newest change first; at most NEWEST."""
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
