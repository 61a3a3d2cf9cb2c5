"""What a measurement ran on, for the line above its table."""

import os
import platform
import sysconfig
from datetime import date
from pathlib import Path

from django.db import connection

BUILD_FLAGS = {"PGO": "--enable-optimizations", "LTO": "--with-lto"}


def description(skills):
    return (
        f"{date.today():%d %B %Y}, {processor()}, {os.cpu_count()} cores shared by server, "
        f"database and load, {interpreter()}, PostgreSQL {postgres_version()}; {skills:,} skills"
    )


def processor():
    """Its architecture and, on Linux, its model."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return " ".join([platform.machine(), *models[:1]])


def interpreter():
    """The version of Python, and whether it was configured with the optimizations that take long.

    Debian's Python has them although its configuration does not say so.
    """
    arguments = sysconfig.get_config_var("CONFIG_ARGS") or ""
    flags = [
        f"{'with' if flag in arguments else 'without'} {name}" for name, flag in BUILD_FLAGS.items()
    ]
    version = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{version} configured {', '.join(flags)}"


def postgres_version():
    """The server's version, which can differ from that of the programs beside it."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return cursor.fetchone()[0]
