"""Streaming standbys of a PostgreSQL."""

import shutil

from demo.postgres import USER


def make_standby(standby, primary):
    """A new standby of the primary, in the place of what was there."""
    stop(standby)
    shutil.rmtree(standby.data, ignore_errors=True)
    standby.run(
        *("pg_basebackup", "-h", primary.socket, "-U", USER, "-D", standby.data),
        *("-R", "-c", "fast", "--no-sync"),
    )
    standby.start()


def stop(postgres):
    postgres.run("pg_ctl", "-D", postgres.data, "-m", "immediate", "stop", check=False)


def remove(postgres):
    stop(postgres)
    shutil.rmtree(postgres.socket, ignore_errors=True)
