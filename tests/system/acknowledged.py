"""Writes that were acknowledged to clients, and those of them that a database lacks."""

from collections import defaultdict

PRESENT = "present"  # a row, whatever its values
AGENT = "JOIN agents_agent AS agent ON agent.id = agent_id"
SKILL = "JOIN catalogue_skill AS entry ON entry.id = skill_id"
PERSONA = "JOIN catalogue_persona AS entry ON entry.id = persona_id"
# The rows of each kind, reduced to their key and their value.
STORED = {
    "agent": "SELECT handle, public_id FROM agents_agent",
    "token": """
        SELECT digest, CASE WHEN expires_at <= now() OR revoked_at IS NOT NULL THEN 'ended'
            ELSE 'usable' END
        FROM agents_agenttoken
    """,
    "skills": f"""
        SELECT handle, slug, install.digest
        FROM installs_skillinstall AS install {AGENT} {SKILL} WHERE removed_at IS NULL
    """,
    "personas": f"""
        SELECT handle, slug, install.digest
        FROM installs_personainstall AS install {AGENT} {PERSONA} WHERE removed_at IS NULL
    """,
    "pinned skills": f"""
        SELECT handle, slug, version.digest
        FROM installs_skillinstall AS install {AGENT} {SKILL}
        JOIN catalogue_skillversion AS version ON version.id = pinned_id WHERE removed_at IS NULL
    """,
    "pinned personas": f"""
        SELECT handle, slug, version.digest
        FROM installs_personainstall AS install {AGENT} {PERSONA}
        JOIN catalogue_personaversion AS version ON version.id = pinned_id WHERE removed_at IS NULL
    """,
    "version": f"""
        SELECT 'skills', slug, version.number, version.digest
        FROM catalogue_skillversion AS version {SKILL}
        UNION ALL
        SELECT 'personas', slug, version.number, version.digest
        FROM catalogue_personaversion AS version {PERSONA}
    """,
    "active": f"""
        SELECT handle, slug FROM installs_personainstall {AGENT} {PERSONA} WHERE is_active
    """,
    "report": f"""
        SELECT handle, slug, reason
        FROM reports_report {AGENT} JOIN reports_case AS reported ON reported.id = case_id {SKILL}
        WHERE reports_report.resolved_at IS NULL
    """,
    "review": f"""
        SELECT handle, slug, rating || ' ' || comment
        FROM reviews_review AS review {AGENT} {PERSONA} WHERE review.deleted_at IS NULL
    """,
}


class Acknowledged(defaultdict):
    """The values that a row may have, by its key such as ("skills", handle, slug).

    None means no row. After an answered request, one value is possible. A request that was sent
    and never answered may have written or not.
    """

    def __init__(self):
        super().__init__(lambda: {None})

    def sent(self, values):
        for key, value in values.items():
            self[key].add(value)

    def answered(self, values):
        for key, value in values.items():
            self[key] = {value}

    def number(self):
        return sum(len(possible) == 1 for possible in self.values())

    def missing(self, rows_of):
        """The differences from `rows_of(query)`."""
        stored = {
            (kind, *key): value for kind, query in STORED.items() for *key, value in rows_of(query)
        }
        return [
            (key, possible, stored.get(key))
            for key, possible in self.items()
            if not is_possible(stored.get(key), possible)
        ]


def is_possible(value, possible):
    return value in possible or (value is not None and PRESENT in possible)
