import time
from contextlib import contextmanager

from django.core.management.base import BaseCommand
from django.db import connection, transaction

BATCH = 20_000  # rows of one statement
ENTRY_KINDS = ("skill", "persona")
TABLES = {
    "skills": ["catalogue_skill", "catalogue_skillposting"],
    "personas": ["catalogue_persona", "catalogue_personaposting", "catalogue_persona_skills"],
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
    SELECT '{kind}_' || substr(md5('{kind}' || n), 1, 16), 'scale-' || n, initcap(title),
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
BUNDLES = """
    INSERT INTO catalogue_persona_skills (persona_id, skill_id)
    SELECT persona.id, skill.id
    FROM catalogue_persona AS persona, generate_series(0, 2) AS j, catalogue_skill AS skill
    WHERE persona.slug LIKE 'scale-%%'
        AND skill.slug = 'scale-' || (1 + (31 * persona.id + 17 * j) %% greatest(%s, 1))
        AND NOT EXISTS (SELECT FROM catalogue_persona_skills WHERE persona_id = persona.id)
    ON CONFLICT DO NOTHING
"""
AGENTS = """
    WITH agents AS (
        INSERT INTO agents_agent (
            public_id, handle, name, description, runtime, tier, suspension_reason, created_at,
            updated_at
        )
        SELECT 'agent_' || substr(md5('agent' || n), 1, 16), 'scale-' || n, 'Scale ' || n, '', '',
            'free', '', now(), now()
        FROM generate_series(%s::bigint, %s) AS n
        RETURNING id
    ), claims AS (
        INSERT INTO agents_operatorclaim (
            agent_id, secret, operator_name, operator_email, code_digest, wrong_codes
        )
        SELECT id, md5('claim' || id), '', '', '', 0 FROM agents
    )
    INSERT INTO agents_agenttoken (agent_id, digest, hint, scopes, created_at)
    SELECT id, md5('token' || id) || md5('digest' || id), 'scale',
        ARRAY['read', 'install', 'review'], now()
    FROM agents
"""
# Each agent gets as many different entries as the others, popular ones more often: the j-th comes
# from those whose number leaves j when it is divided by how many it gets.
INSTALLS = """
    WITH entries AS MATERIALIZED (
        SELECT id, row_number() OVER (ORDER BY id) - 1 AS place
        FROM catalogue_{kind} WHERE slug LIKE 'scale-%%'
    ), picks AS MATERIALIZED (
        SELECT agent.id AS agent_id,
            j + %(each)s * (pg_temp.zipf((%(entries)s / %(each)s)::int - 1) - 1)::bigint AS place
        FROM agents_agent AS agent, generate_series(0, %(each)s - 1) AS j
        WHERE agent.id IN (
            SELECT id FROM agents_agent WHERE handle LIKE 'scale-%%' AND NOT EXISTS (
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
    INSERT INTO installs_{kind}install (agent_id, {kind}_id, installed_at, {column})
    SELECT agent_id, entries.id, now(), {value} FROM picks JOIN entries USING (place)
"""


class Command(BaseCommand):
    help = """Fill a database for measuring, up to the given numbers. Never do this in production.
    Running it again adds what is missing: it knows its rows by their names, scale-1 and so on."""

    def add_arguments(self, parser):
        for name in TABLES:
            parser.add_argument(f"--{name}", type=int, default=0, metavar="N")

    def handle(self, **options):
        with connection.cursor() as self.cursor:
            self.cursor.execute(FUNCTIONS)
            for name, tables in TABLES.items():
                begun, added = time.monotonic(), 0
                if options[name] > self.present(name):
                    # In one transaction, so that an interrupted run leaves no index out.
                    with transaction.atomic(), self.without_indexes(tables):
                        added = getattr(self, name)(options[name])
                self.stdout.write(f"{name}: {added} added in {time.monotonic() - begun:.0f} s")
            self.cursor.execute("VACUUM ANALYZE")

    def present(self, name):
        if name == "installs":
            return sum(self.number_of(f"installs_{kind}install", "id") for kind in ENTRY_KINDS)
        return self.number_of(TABLES[name][0], "handle" if name == "agents" else "slug")

    def skills(self, wanted):
        sql = ENTRIES.format(kind="skill", columns="downloads", values="0")
        return self.fill("catalogue_skill", "slug", wanted, sql)

    def personas(self, wanted):
        columns = "price_cents, installs, rating_sum, rating_count"
        values = "CASE WHEN n %% 10 = 0 THEN 500 ELSE 0 END, 0, 0, 0"
        sql = ENTRIES.format(kind="persona", columns=columns, values=values)
        added = self.fill("catalogue_persona", "slug", wanted, sql)
        self.cursor.execute(BUNDLES, [self.number_of("catalogue_skill", "slug")])
        return added

    def agents(self, wanted):
        return self.fill("agents_agent", "handle", wanted, AGENTS)

    def installs(self, wanted):
        """A tenth of them are of personas."""
        personas = self.install("persona", wanted // 10, "installs", "is_active", "false")
        return personas + self.install("skill", wanted - wanted // 10, "downloads", "runtime", "''")

    def install(self, kind, wanted, counter, column, value):
        wanted -= self.number_of(f"installs_{kind}install", "id")
        agents = self.number_of("agents_agent", "handle") - self.number_of(
            f"installs_{kind}install", "DISTINCT agent_id"
        )
        if wanted <= 0 or agents <= 0:
            return 0
        each = -(-wanted // agents)
        entries = self.number_of(f"catalogue_{kind}", "slug")
        self.cursor.execute(
            INSTALLS.format(kind=kind, counter=counter, column=column, value=value),
            {"each": each, "agents": wanted // each, "entries": entries},
        )
        return self.cursor.rowcount

    def fill(self, table, name, wanted, sql):
        """Run the SQL for the numbers that are missing, a batch at a time."""
        present = self.number_of(table, name)
        for first in range(present + 1, wanted + 1, BATCH):
            last = min(first + BATCH - 1, wanted)
            self.cursor.execute(sql, [first, last])
            self.stdout.write(f"{table}: {last} of {wanted}")
        return max(wanted - present, 0)

    def number_of(self, table, column):
        condition = f"WHERE {column} LIKE 'scale-%%'" if column in {"slug", "handle"} else ""
        self.cursor.execute(f"SELECT count({column}) FROM {table} {condition}", [])  # noqa: S608
        return self.cursor.fetchone()[0]

    @contextmanager
    def without_indexes(self, tables):
        """Make foreign keys and indexes once, after the rows; constraints that are unique stay."""
        self.cursor.execute(
            """
            SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', conrelid::regclass, conname),
                format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', conrelid::regclass, conname,
                    pg_get_constraintdef(oid))
            FROM pg_constraint WHERE contype = 'f' AND conrelid = ANY(%(tables)s::regclass[])
            UNION ALL
            SELECT format('DROP INDEX %%s', indexrelid::regclass), pg_get_indexdef(indexrelid)
            FROM pg_index WHERE NOT indisunique AND indrelid = ANY(%(tables)s::regclass[])
            """,
            {"tables": tables},
        )
        statements = self.cursor.fetchall()
        for drop, _ in statements:
            self.cursor.execute(drop)
        yield
        for _, create in statements:
            self.cursor.execute(create)
