"""What an agent has, as its profile says it (contract 4)."""

from collections import defaultdict

from django.db import connection

from agents.sql import RECALLED
from marketplace.api.serializers import timestamp

LISTED = 100  # of a kind; what PROFILE has as its LIMIT


def belongings(agent, skills, personas, bundled, reviews):
    """`activePersona`, `skills`, `personas`, `advisories` and `counts`, of the rows of PROFILE.

    These are the newest hundred of a kind, and of an agent that has fewer they tell everything.
    The database is asked again only where there may be more, or something is withdrawn.
    """
    slugs = defaultdict(list)
    for status, persona_id, slug in bundled:
        if status == "published":
            slugs[persona_id].append(slug)
    return {
        "activePersona": active_persona(agent, personas),
        "skills": [
            {
                "skillId": public_id,
                "slug": slug,
                "title": title,
                "runtime": runtime,
                "installedAt": installed_at,
            }
            for _, public_id, slug, title, runtime, installed_at in skills
        ],
        "personas": [
            {
                "personaId": public_id,
                "slug": slug,
                "title": title,
                "isActive": is_active == "true",
                "installedAt": installed_at,
                "skills": slugs[public_id],
            }
            for _, public_id, slug, title, is_active, installed_at in personas
        ],
        "advisories": advisories(agent, skills, personas, bundled),
        "counts": {
            "skills": len(skills) if len(skills) < LISTED else agent.skill_installs.count(),
            "personas": len(personas) if len(personas) < LISTED else agent.persona_installs.count(),
            "reviews": reviews,
        },
    }


def active_persona(agent, personas):
    active = [
        (public_id, slug, title)
        for _, public_id, slug, title, is_active, _ in personas
        if is_active == "true"
    ]
    if not active and len(personas) == LISTED:
        older = agent.persona_installs.filter(is_active=True)
        active = older.values_list("persona__public_id", "persona__slug", "persona__title")
    for public_id, slug, title in active:
        return {"personaId": public_id, "slug": slug, "title": title}
    return None


def advisories(agent, skills, personas, bundled):
    """What was recalled of all that the agent has, the latest first; at most a hundred."""
    statuses = [row[0] for row in (*skills, *personas, *bundled)]
    if "withdrawn" not in statuses and LISTED not in (len(skills), len(personas)):
        return []
    return [
        {
            "kind": kind,
            "slug": slug,
            "title": title,
            "reason": reason,
            "withdrawnAt": timestamp(withdrawn_at),
        }
        for kind, slug, title, reason, withdrawn_at in connection.fetch_all(
            RECALLED, {"agent": agent.pk}
        )
    ]
