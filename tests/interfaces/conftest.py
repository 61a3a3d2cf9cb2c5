import os
import subprocess

import pytest
from django.test import Client

from tests.factories import PersonaFactory, SkillFactory

# A curl that also says on standard error which status each request had.
CURL = """#!/bin/sh
exec "$REAL_CURL" -w '%{stderr}%{http_code}\\n' "$@"
"""


@pytest.fixture
def person(db):
    """The browser of somebody who has never been here."""
    return Client(raise_request_exception=False, enforce_csrf_checks=True)


@pytest.fixture
def catalogue(db):
    skill = SkillFactory(
        slug="pdf-tables",
        title="PDF tables",
        description="Extracts tables.",
        category="data",
        tags=["pdf"],
        runtimes=["python"],
        author="Harbour Tools",
        version="1.10",
        license="MIT",
        content="---\nname: pdf-tables\n---\n\n# How\n\nUse **pdfplumber**.\n",
        downloads=1234,
    )
    return PersonaFactory(slug="archivist", title="Archivist", skills=[skill], content="*Quiet.*")


@pytest.fixture
def shell(tmp_path):
    """Runs a script as an agent with an empty home would; what it printed, and the statuses."""
    (tmp_path / "bin").mkdir()
    curl = tmp_path / "bin" / "curl"
    curl.write_text(CURL)
    curl.chmod(0o755)
    real = subprocess.run(["which", "curl"], capture_output=True, text=True, check=False)
    if real.returncode:
        pytest.skip("needs curl")
    environment = {
        "HOME": str(tmp_path),
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
        "REAL_CURL": real.stdout.strip(),
    }

    def shell(script):
        done = subprocess.run(
            ["bash", "-eu", "-c", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, [int(status) for status in done.stderr.split()]

    return shell
