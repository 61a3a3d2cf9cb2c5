"""What the page of an entry shows beside it, in one statement."""

from dataclasses import dataclass
from datetime import UTC, datetime

from catalogue.models import Persona, Skill
from catalogue.search.facet_counts import CATALOGUE_VERSION, catalogue_version
from marketplace.db.replicas import read_connection
from marketplace.http_cache.validators import Validator

WEEKS = 12
# Bounds what an entry with many installs costs.
MAX_AGENTS, MAX_INSTALLS = 100, 30
SHOWN = 4

RELATED = """
    WITH entry AS (SELECT id, author FROM catalogue_{kind} WHERE id = %(entry)s),
    agents AS (
        SELECT agent_id, removed_at FROM installs_{kind}install
        WHERE {kind}_id = %(entry)s ORDER BY id DESC LIMIT %(max_agents)s
    ), others AS (
        SELECT other.{kind}_id AS id, count(*) AS agents
        FROM agents, LATERAL (
            SELECT {kind}_id FROM installs_{kind}install AS install
            WHERE install.agent_id = agents.agent_id AND install.removed_at IS NULL
            ORDER BY id DESC LIMIT %(max_installs)s
        ) AS other
        -- What a single agent has is nobody's recommendation.
        WHERE agents.removed_at IS NULL AND other.{kind}_id <> %(entry)s
        GROUP BY other.{kind}_id HAVING count(*) > 1
    ), also AS (
        SELECT slug, title, category, {counter} AS installs
        FROM others JOIN catalogue_{kind} USING (id)
        WHERE status = 'published' ORDER BY agents DESC, id DESC LIMIT %(shown)s
    ), more AS (
        SELECT other.slug, other.title, other.category, other.{counter} AS installs
        FROM entry, LATERAL (
            SELECT * FROM catalogue_{kind} AS candidate
            WHERE candidate.author = entry.author AND status = 'published'
            ORDER BY {counter} DESC, candidate.id DESC LIMIT %(shown)s + 1
        ) AS other
        WHERE entry.author <> '' AND other.id <> entry.id
        ORDER BY other.{counter} DESC, other.id DESC LIMIT %(shown)s
    )
    SELECT
        ARRAY(
            SELECT coalesce(sum(installs), 0)::bigint
            FROM generate_series(0, %(weeks)s - 1) AS week
            LEFT JOIN installs_{kind}day AS counted ON counted.{kind}_id = %(entry)s
                AND counted.day > %(today)s::date - 7 * (%(weeks)s - week)
                AND counted.day <= %(today)s::date - 7 * (%(weeks)s - week - 1)
            GROUP BY week ORDER BY week
        ) AS weeks,
        (SELECT coalesce(json_agg(also), '[]') FROM also) AS also,
        (SELECT coalesce(json_agg(more), '[]') FROM more) AS more,
        ({version}) AS version
"""
STATEMENTS = {
    Skill: RELATED.format(kind="skill", counter="downloads", version=CATALOGUE_VERSION),
    Persona: RELATED.format(kind="persona", counter="installs", version=CATALOGUE_VERSION),
}


@dataclass(frozen=True)
class Related:
    """`weeks` are the installs of the last twelve weeks, the oldest first.

    `also` is what agents with the entry have, too, `more` what its author has written; each as
    `{"slug", "title", "category", "installs"}`.
    """

    weeks: list
    also: list
    more: list
    validator: Validator | None


def related_to(entry):
    day = today()
    row = read_connection().fetch_one(
        STATEMENTS[type(entry)],
        {
            "entry": entry.pk,
            "today": day,
            "weeks": WEEKS,
            "shown": SHOWN,
            "max_agents": MAX_AGENTS,
            "max_installs": MAX_INSTALLS,
        },
    )
    # Fresh while the catalogue and the day stay the same. An install of the entry itself changes
    # its row; those of others move what is shown here with the next of these.
    versions = [None if row.version is None else Validator(catalogue_version, row.version)]
    validator = Validator.of_all([*versions, Validator(today, day)])
    return Related(row.weeks, row.also, row.more, validator)


def today():
    return datetime.now(UTC).date()
