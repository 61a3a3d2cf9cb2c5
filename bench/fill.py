"""Fill a database for measuring, and write the lists that a load draws its requests from.

python -m bench.fill FOLDER [--skills N] [--versions N] [--personas N] [--agents N] [--installs N]

Fills the database of DATABASE_URL up to these numbers; never do that in production. A run adds only
what is missing, so that an interrupted one is completed by running it again: the rows are known by
their names, bench-1 and so on. --versions is how many versions each skill has. FOLDER then holds
skills, personas, tokens, reviewers and words.
"""

import argparse
import time
from contextlib import contextmanager
from pathlib import Path

import django
from django.core.management import call_command
from django.db import connection, transaction
from tqdm import tqdm

from bench.server import configure

# Too many of each for the caches of PostgreSQL or the processor to hold all of them.
SIZES = {
    "skills": 10_000,
    "versions": 1,  # of each skill
    "personas": 2_000,
    "agents": 20_000,
    "installs": 200_000,
}
BATCH = 20_000  # rows of one statement
TABLES = {
    "skills": ["catalogue_skill", "search_skillposting"],
    "versions": ["catalogue_skill"],
    "personas": ["catalogue_persona", "search_personaposting", "catalogue_persona_skills"],
    "agents": ["agents_agent", "agents_agenttoken", "agents_operatorclaim"],
    "installs": [
        "installs_skillinstall",
        "installs_personainstall",
        "catalogue_skill",
        "catalogue_persona",
    ],
}

# Zipf's law: the k-th most common of n has a share in proportion to 1/k.
FUNCTIONS = """
    CREATE OR REPLACE FUNCTION pg_temp.zipf(n int) RETURNS int LANGUAGE sql VOLATILE
    AS $$ SELECT floor(exp(random() * ln(n + 1)))::int $$;
    DROP TABLE IF EXISTS pg_temp.vocabulary;
    CREATE TEMP TABLE vocabulary AS
        SELECT rank, string_agg(substr('babidobugadigoluhakikolamimonunaperapirosasitovavi'
            || 'fofumyjojutezuwexinelesokutuwovozaganohutorydyhylu',
            1 + 2 * (rank / step % 50), 2), '') AS word
        FROM generate_series(1, 50000) AS rank, unnest(ARRAY[1, 50, 2500]) AS step GROUP BY rank;
    ANALYZE vocabulary;
"""
ENTRIES = """
    INSERT INTO catalogue_{kind} (
        public_id, slug, title, description, category, tags, runtimes, author, version, license,
        content, status, source, withdrawal_reason, created_at, updated_at, {columns}
    )
    SELECT '{kind}_' || substr(md5('{kind}' || n), 1, 16), 'bench-' || n, initcap(title),
        description, 'category-' || pg_temp.zipf(20),
        ARRAY(SELECT DISTINCT 'tag-' || pg_temp.zipf(2000) FROM generate_series(1, 1 + n %% 4)),
        ARRAY['runtime-' || pg_temp.zipf(10)], 'author-' || pg_temp.zipf(20000),
        '1.0', 'MIT', description, 'published', '', '',
        now() - (1e8 - n) * interval '1 second', now() - (1e8 - n) * interval '1 second', {values}
    FROM (
        SELECT n, string_agg(word, ' ') FILTER (WHERE place <= 3) AS title,
            string_agg(word, ' ') FILTER (WHERE place > 3) AS description
        FROM (
            SELECT n, place, pg_temp.zipf(50000) AS rank
            FROM generate_series(%s::bigint, %s) AS n, generate_series(1, 28) AS place
        ) AS picks JOIN vocabulary USING (rank) GROUP BY n
    ) AS new ORDER BY n
"""
# The next text of each skill that lacks versions; a trigger makes the version.
VERSIONS = """
    UPDATE catalogue_skill
    SET content = description || ' ' || number + 1, version = number + 1 || '.0', updated_at = now()
    WHERE id IN (
        SELECT id FROM catalogue_skill
        WHERE slug LIKE 'bench-%%' AND status = 'published' AND number < %s
        ORDER BY number, id LIMIT %s
    )
"""
FEWEST_VERSIONS = """
    SELECT coalesce(min(number), 0) FROM catalogue_skill
    WHERE slug LIKE 'bench-%' AND status = 'published'
"""
BUNDLES = """
    INSERT INTO catalogue_persona_skills (persona_id, skill_id)
    SELECT persona.id, skill.id
    FROM catalogue_persona AS persona, generate_series(0, 2) AS j, catalogue_skill AS skill
    WHERE persona.slug LIKE 'bench-%%'
        AND skill.slug = 'bench-' || (1 + (31 * persona.id + 17 * j) %% greatest(%s, 1))
        AND NOT EXISTS (SELECT FROM catalogue_persona_skills WHERE persona_id = persona.id)
    ON CONFLICT DO NOTHING
"""
AGENTS = """
    WITH agents AS (
        INSERT INTO agents_agent (
            public_id, handle, name, description, runtime, tier, suspension_reason, created_at,
            updated_at
        )
        SELECT 'agent_' || substr(md5('agent' || n), 1, 16), 'bench-' || n, 'Bench ' || n, '', '',
            'free', '', now(), now()
        FROM generate_series(%s::bigint, %s) AS n
        RETURNING id
    ), claims AS (
        INSERT INTO agents_operatorclaim (
            agent_id, secret, operator_name, operator_email, code_digest
        )
        SELECT id, md5('claim' || id), '', '', '' FROM agents
    )
    INSERT INTO agents_agenttoken (public_id, agent_id, digest, hint, scopes, created_at)
    SELECT 'token_' || md5('public' || id), id, md5('token' || id) || md5('digest' || id), 'fill',
        ARRAY['read', 'install', 'review'], now()
    FROM agents
"""
# Each agent gets the same number of different entries, popular ones more often: the j-th comes from
# the entries whose place modulo that number is j.
INSTALLS = """
    WITH entries AS MATERIALIZED (
        SELECT id, digest, number, row_number() OVER (ORDER BY id) - 1 AS place
        FROM catalogue_{kind} WHERE slug LIKE 'bench-%%'
    ), picks AS MATERIALIZED (
        SELECT agent.id AS agent_id,
            j + %(per_agent)s
                * (pg_temp.zipf((%(entries)s / %(per_agent)s)::int - 1) - 1)::bigint AS place
        FROM agents_agent AS agent, generate_series(0, %(per_agent)s - 1) AS j
        WHERE agent.id IN (
            SELECT id FROM agents_agent WHERE handle LIKE 'bench-%%' AND NOT EXISTS (
                SELECT FROM installs_{kind}install WHERE agent_id = agents_agent.id
            ) ORDER BY id LIMIT %(agents)s
        )
    ), counted AS (
        UPDATE catalogue_{kind} AS entry SET {counter} = {counter} + installed
        FROM (
            SELECT id, count(*) AS installed FROM picks JOIN entries USING (place) GROUP BY id
        ) AS installs
        WHERE entry.id = installs.id
    )
    INSERT INTO installs_{kind}install (agent_id, {kind}_id, digest, number, installed_at, {column})
    SELECT agent_id, entries.id, digest, number, now(), {value}
    FROM picks JOIN entries USING (place)
"""
INSTALL_COLUMNS = {
    "skill": {"counter": "downloads", "column": "runtime", "value": "''"},
    "persona": {"counter": "installs", "column": "is_active", "value": "false"},
}


def fill(**sizes):
    """Add rows until there are as many of each kind as `sizes` names."""
    with connection.cursor() as cursor:
        cursor.execute(FUNCTIONS)
        for name, target in sizes.items():
            begun, present = time.monotonic(), number_of(cursor, name)
            if target > present:
                print(f"{name}: {present:,} of {target:,}", flush=True)
                # In one transaction, so that an interrupted run drops no index.
                with transaction.atomic(), without_indexes(cursor, TABLES[name]):
                    ADD[name](cursor, target)
            added = number_of(cursor, name) - present
            print(f"{name}: {added:,} added in {time.monotonic() - begun:.0f} s", flush=True)
        cursor.execute("VACUUM ANALYZE")


def number_of(cursor, name):
    if name == "versions":
        cursor.execute(FEWEST_VERSIONS)
        return cursor.fetchone()[0]
    if name == "installs":
        return sum(count(cursor, f"installs_{kind}install") for kind in ("skill", "persona"))
    return count(cursor, TABLES[name][0], "handle" if name == "agents" else "slug")


def count(cursor, table, column="id"):
    condition = f"WHERE {column} LIKE 'bench-%'" if column in {"slug", "handle"} else ""
    cursor.execute(f"SELECT count({column}) FROM {table} {condition}")
    return cursor.fetchone()[0]


def add_skills(cursor, target):
    sql = ENTRIES.format(kind="skill", columns="downloads", values="0")
    add_numbered(cursor, "skills", target, sql)


def add_versions(cursor, target):
    with tqdm(unit=" versions", disable=None) as bar:
        while True:
            cursor.execute(VERSIONS, [target, BATCH])
            if cursor.rowcount == 0:
                break
            bar.update(cursor.rowcount)


def add_personas(cursor, target):
    columns = "price_cents, installs, rating_sum, rating_count"
    values = "CASE WHEN n %% 10 = 0 THEN 500 ELSE 0 END, 0, 0, 0"
    sql = ENTRIES.format(kind="persona", columns=columns, values=values)
    add_numbered(cursor, "personas", target, sql)
    cursor.execute(BUNDLES, [number_of(cursor, "skills")])


def add_agents(cursor, target):
    add_numbered(cursor, "agents", target, AGENTS)


def add_numbered(cursor, name, target, sql):
    """Run the SQL for the numbers that are missing, a batch at a time."""
    numbers = range(number_of(cursor, name) + 1, target + 1, BATCH)
    for first in tqdm(numbers, unit_scale=BATCH, unit=f" {name}", disable=None):
        cursor.execute(sql, [first, min(first + BATCH - 1, target)])


def add_installs(cursor, target):
    """A tenth of them are of personas."""
    add_installs_of(cursor, "persona", target // 10)
    add_installs_of(cursor, "skill", target - target // 10)


def add_installs_of(cursor, kind, target):
    table = f"installs_{kind}install"
    missing = target - count(cursor, table)
    agents = number_of(cursor, "agents") - count(cursor, table, "DISTINCT agent_id")
    if missing <= 0 or agents <= 0:
        return
    per_agent = -(-missing // agents)
    cursor.execute(
        INSTALLS.format(kind=kind, **INSTALL_COLUMNS[kind]),
        {
            "per_agent": per_agent,
            "agents": missing // per_agent,
            "entries": number_of(cursor, f"{kind}s"),
        },
    )


ADD = {
    "skills": add_skills,
    "versions": add_versions,
    "personas": add_personas,
    "agents": add_agents,
    "installs": add_installs,
}


@contextmanager
def without_indexes(cursor, tables):
    """Build foreign keys and indexes once, after the rows.

    Unique constraints stay, and the index in which the feed looks for each row's predecessors.
    """
    cursor.execute(
        """
        SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname),
            format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', conrelid::regclass, conname,
                pg_get_constraintdef(oid))
        FROM pg_constraint WHERE contype = 'f' AND conrelid = ANY(%(tables)s::regclass[])
        UNION ALL
        SELECT format('DROP INDEX %%s', indexrelid::regclass), pg_get_indexdef(indexrelid)
        FROM pg_index WHERE NOT indisunique AND indrelid = ANY(%(tables)s::regclass[])
            AND indexrelid::regclass::text NOT LIKE '%%\\_successor'
        """,
        {"tables": tables},
    )
    statements = cursor.fetchall()
    for drop, _ in statements:
        cursor.execute(drop)
    yield
    # Write the feed of changes now, not at the commit: a table with pending triggers cannot be
    # altered.
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for _, create in statements:
        cursor.execute(create)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    for name, size in SIZES.items():
        parser.add_argument(f"--{name}", type=int, default=size, metavar="N", help=f"{size:,}")
    options = vars(parser.parse_args())
    folder = options.pop("folder")
    configure()
    django.setup()
    from bench import lists  # noqa: PLC0415 (it imports models)

    call_command("migrate", verbosity=0)
    fill(**options)
    lists.write(folder)


if __name__ == "__main__":
    main()
