"""The token with its agent, the claim, and what the agent has, by one statement.

Rows of what the agent has come as arrays of texts, because as JSON or as statements of their own
they cost PostgreSQL or this process more (docs/performance.md).
"""

from collections import namedtuple
from functools import partial

from agents.sql import USABLE
from marketplace.api.serializers import TIMESTAMP_FORMAT

NEWEST = 100  # rows of each kind in a profile


class TextRow:
    """A row as an array of texts in SQL, and as a named tuple in Python."""

    def __init__(self, **columns):
        self.sql = f"ARRAY[{', '.join(columns.values())}]"
        row = namedtuple("Row", columns)  # noqa: PYI024 - named as in SQL
        # `_make` is Python, and there are two hundred rows in a profile.
        self._read = partial(tuple.__new__, row)

    def read_all(self, arrays):
        return list(map(self._read, arrays))


INSTALLED_AT = f"to_char(install.installed_at AT TIME ZONE 'UTC', '{TIMESTAMP_FORMAT}')"
SKILL = TextRow(
    status="skill.status",
    public_id="skill.public_id",
    slug="skill.slug",
    title="skill.title",
    runtime="install.runtime",
    installed_at=INSTALLED_AT,
)
PERSONA = TextRow(
    status="status",
    public_id="public_id",
    slug="slug",
    title="title",
    is_active="CASE WHEN install.is_active THEN 'active' ELSE '' END",
    installed_at=INSTALLED_AT,
)
BUNDLED = TextRow(status="skill.status", persona_id="newest.public_id", slug="skill.slug")

PROFILE = f"""
{USABLE}, newest AS (
    SELECT
        install.id, install.persona_id, install.is_active, install.installed_at,
        persona.status, persona.public_id, persona.slug, persona.title
    FROM usable
    JOIN installs_personainstall AS install USING (agent_id)
    JOIN catalogue_persona AS persona ON persona.id = install.persona_id
    WHERE install.removed_at IS NULL
    ORDER BY install.id DESC LIMIT {NEWEST}
)
SELECT
    usable.*,
    claim.id AS claim_id, claim.secret AS claim_secret,
    claim.operator_name AS claim_operator_name, claim.code_digest AS claim_code_digest,
    claim.claimed_at AS claim_claimed_at,
    ARRAY(
        SELECT {SKILL.sql}
        FROM installs_skillinstall AS install
        JOIN catalogue_skill AS skill ON skill.id = install.skill_id
        WHERE install.agent_id = usable.agent_id AND install.removed_at IS NULL
        ORDER BY install.id DESC LIMIT {NEWEST}
    ) AS skills,
    ARRAY(SELECT {PERSONA.sql} FROM newest AS install ORDER BY id DESC) AS personas,
    ARRAY(
        SELECT {BUNDLED.sql}
        FROM newest
        JOIN catalogue_persona_skills USING (persona_id)
        JOIN catalogue_skill AS skill ON skill.id = skill_id
        ORDER BY skill.slug
    ) AS bundled,
    (SELECT count(*) FROM reviews_review AS review WHERE review.agent_id = usable.agent_id)
        AS review_count
FROM usable JOIN agents_operatorclaim AS claim USING (agent_id)
"""
