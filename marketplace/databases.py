"""The DATABASES setting: the primary and its replicas, from the environment."""

from marketplace import environment


def databases(*, is_plain):
    primary = primary_database("django.db.backends.postgresql" if is_plain else "infrastructure.db")
    replicas = [] if is_plain else environment.words("DATABASE_REPLICA_URL")
    return {
        "default": primary,
        **{
            f"replica-{number}": replica_database(primary, url)
            for number, url in enumerate(replicas)
        },
    }


def primary_database(engine):
    database = environment.database("DATABASE_URL")
    return {
        **database,
        "ENGINE": engine,
        # Each thread of a worker keeps one connection. It is checked before a request's first
        # statement, so that the first request after a restart of PostgreSQL succeeds.
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        "PREPARED_STATEMENTS": environment.boolean("PREPARED_STATEMENTS", default=True),
        # Outside a transaction, a pooler may send each part of a cursor's work to another server.
        "DISABLE_SERVER_SIDE_CURSORS": True,
        "OPTIONS": {
            # With these timeouts, a request to an unreachable database fails within seconds.
            "connect_timeout": 5,
            "tcp_user_timeout": 10_000,
            "server_side_binding": True,
            **database.get("OPTIONS", {}),
            # infrastructure.db prepares recurring statements. psycopg would discard them after each
            # rollback, together with its own.
            "prepare_threshold": None,
        },
    }


def replica_database(primary, url):
    replica = environment.database("DATABASE_REPLICA_URL", url)
    return {
        **primary,
        **{key: replica[key] for key in ("HOST", "PORT", "NAME", "USER", "PASSWORD")},
        "OPTIONS": {
            **primary["OPTIONS"],
            "target_session_attrs": "any",  # With several hosts, DATABASE_URL requires the primary.
            "connect_timeout": 2,
            **replica.get("OPTIONS", {}),
        },
        "MAX_WAIT": 1,  # second, then the next server is tried
    }
