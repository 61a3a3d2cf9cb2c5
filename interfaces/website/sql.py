"""SQL of the website, put together from constants."""

from catalogue.models import IS_PUBLISHED
from interfaces.git.sql import MARKETPLACE, TAKEN
from search.facet_counts import CATALOGUE_VERSION

# How many ids a part of the sitemap spans, which is also its maximum of URLs (1.2 MB).
IDS_PER_PART = 10_000


def parts_of(table):
    """The numbers of the parts that have published entries.

    Each part costs one look into the index of ids. A gap between parts costs none, however wide.
    """
    first = f"SELECT min(id) / {IDS_PER_PART} FROM {table} WHERE {IS_PUBLISHED}"
    return f"""
    WITH RECURSIVE part (number) AS (
        {first}
        UNION ALL
        SELECT ({first} AND id >= (part.number + 1) * {IDS_PER_PART})
        FROM part WHERE part.number IS NOT NULL
    )
    SELECT number FROM part WHERE number IS NOT NULL
    """


def bounded(rows):
    return f"(SELECT count(*) FROM (SELECT FROM {rows} LIMIT %(most)s) AS counted)"


THIS_WEEK = "WHERE installed_at >= now() - interval '1 week'"
# How many agents there are and how much they installed this week, each up to a maximum.
USES = f"""
    SELECT {bounded("agents_agent WHERE suspended_at IS NULL")} AS agents,
        {bounded(f"installs_skillinstall {THIS_WEEK}")}
            + {bounded(f"installs_personainstall {THIS_WEEK}")} AS installs
"""


def weeks_of(kind):
    """The installs of an entry in each of the last weeks, oldest first, as an array."""
    return f"""ARRAY(
        SELECT (
            SELECT count(*) FROM installs_{kind}install
            WHERE {kind}_id = %(entry)s
                AND installed_at >= today_ends - interval '1 week' * (week + 1)
                AND installed_at < today_ends - interval '1 week' * week
        )
        FROM generate_series(%(weeks)s - 1, 0, -1) AS week,
            (SELECT (%(today)s::date + 1)::timestamp AT TIME ZONE 'UTC') AS today (today_ends)
        ORDER BY week DESC
    )"""


def holders_of(kind):
    """How many agents have an entry, up to a maximum and one more."""
    return f"""(
        SELECT count(*) FROM (
            SELECT FROM installs_{kind}install
            WHERE {kind}_id = %(entry)s AND removed_at IS NULL LIMIT %(max_holders)s + 1
        ) AS present
    )"""


def events_of(kind):
    """What changed in a kind of entry since a moment: the newest rows of each change."""
    entry, version = f"catalogue_{kind}", f"catalogue_{kind}version"
    both = f"{version} JOIN {entry} AS entry ON entry.id = {kind}_id"
    # The line about an update depends on the version before, and on the price.
    before = f"""(
        SELECT recalled_at IS NULL FROM {version} AS before
        WHERE before.{kind}_id = entry.id AND before.number = {version}.number - 1
    )"""
    price = "entry.price_cents" if kind == "persona" else "0"
    is_recalled = "status = 'withdrawn' AND withdrawal_reason <> ''"
    # The change, its rows, when it happened, the number of its version, and what to say about it.
    changes = [
        ("recalled", f"{entry} AS entry", is_recalled, "withdrawn_at", "0", "withdrawal_reason"),
        (
            *("version recalled", both, f"{IS_PUBLISHED} AND recalled_at IS NOT NULL"),
            *("recalled_at", f"{version}.number", "recall_reason"),
        ),
        (
            *("deprecated", f"{entry} AS entry", f"{IS_PUBLISHED} AND deprecated_at IS NOT NULL"),
            *("deprecated_at", "0", "deprecation_message"),
        ),
        (
            *("updated", both, f"{IS_PUBLISHED} AND {version}.number > 1"),
            *(f"{version}.created_at", f"{version}.number", f"concat({before}, {price})"),
        ),
        (
            *("new", both, f"{IS_PUBLISHED} AND {version}.number = 1"),
            *(f"{version}.created_at", "0", "entry.description"),
        ),
    ]
    return " UNION ALL ".join(
        f"""(
            SELECT '{change}' AS change, '{kind}' AS kind, entry.id, public_id, slug, entry.title,
                {number} AS number, {note} AS note, {entry}_successor(successor_id) AS successor,
                {at} AS at
            FROM {rows} WHERE {condition} AND {at} >= %(since)s ORDER BY {at} DESC LIMIT %(most)s
        )"""
        for change, rows, condition, at, number, note in changes
    )


def related_of(kind, *, counter):
    """One row with related entries and weekly installs, for `related_to`."""
    return f"""
    WITH entry AS (SELECT id, slug, author FROM catalogue_{kind} WHERE id = %(entry)s),
    agents AS (
        SELECT agent_id, removed_at FROM installs_{kind}install
        WHERE {kind}_id = %(entry)s ORDER BY installed_at DESC LIMIT %(max_agents)s
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
        SELECT slug, title, category FROM others JOIN catalogue_{kind} USING (id)
        WHERE {IS_PUBLISHED} ORDER BY agents DESC, id DESC LIMIT %(limit)s
    ), more AS (
        SELECT other.slug, other.title, other.category
        FROM entry, LATERAL (
            SELECT * FROM catalogue_{kind} AS candidate
            WHERE candidate.author = entry.author AND {IS_PUBLISHED}
            ORDER BY {counter} DESC, candidate.id DESC LIMIT 2 * %(limit)s + 1
        ) AS other
        WHERE entry.author <> '' AND other.id <> entry.id
            AND other.slug NOT IN (SELECT slug FROM also)
        ORDER BY other.{counter} DESC, other.id DESC LIMIT %(limit)s
    )
    SELECT
        {weeks_of(kind)} AS weeks,
        (SELECT coalesce(json_agg(also), '[]') FROM also) AS also,
        (SELECT coalesce(json_agg(more), '[]') FROM more) AS more,
        {holders_of(kind)} AS holders,
        (SELECT {TAKEN} FROM entry) AS taken,
        {MARKETPLACE},
        ({CATALOGUE_VERSION}) AS version
    """
