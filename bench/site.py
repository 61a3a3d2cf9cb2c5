"""A filled database and the Procfile's web line on it, for measuring."""

import os
import shlex
import subprocess
import sys
import time
import urllib.request

from demo.postgres import CHECKOUT
from tests.live import free_port

# So many of each that no cache of PostgreSQL's or the processor's holds all of them.
SIZES = {"skills": 10_000, "personas": 2_000, "agents": 20_000, "installs": 200_000}
LIMITS = {f"RATE_LIMIT_{name}": "100000000/h" for name in ("INSTALL", "REVIEW", "REGISTER")}


def configure(database_url):
    """Set the environment of this process and of all that it starts."""
    os.environ.update(
        DATABASE_URL=database_url,
        DJANGO_SETTINGS_MODULE="marketplace.settings",
        SECRET_KEY="x" * 50,
        REQUIRE_HTTPS="false",
        WEB_CONCURRENCY=str(os.cpu_count()),
        **LIMITS,
    )


def manage(*arguments):
    subprocess.run([sys.executable, "manage.py", *map(str, arguments)], cwd=CHECKOUT, check=True)


def web_line():
    (line,) = [
        line for line in (CHECKOUT / "Procfile").read_text().splitlines() if line.startswith("web:")
    ]
    return shlex.split(line.partition(":")[2])


class Server:
    """The web line, or the same gunicorn with another `application`, on a free port."""

    def __init__(self, folder, application=None):
        program, *arguments = web_line()
        self.command = [
            sys.executable,
            "-m",
            program,
            *([application] if application else arguments),
        ]
        self.port = free_port()
        self.log = folder / f"{application or 'web'}.log"

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=CHECKOUT,
                env={**os.environ, "PORT": str(self.port)},
                stdout=log,
                stderr=log,
            )
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{self.url}/readyz").close()
            except OSError:
                time.sleep(0.1)
            else:
                return self
        raise SystemExit(f"The server does not start; see {self.log}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def write_lists(folder):
    """What the load is drawn from, a line each: slugs, tokens, words, reviewers with a persona."""
    # Django is set up by now, by `configure` and the caller.
    from django.db import connection  # noqa: PLC0415

    from agents import tokens  # noqa: PLC0415
    from agents.models import Agent, AgentToken  # noqa: PLC0415
    from catalogue.models import Persona, Skill  # noqa: PLC0415

    folder.mkdir(exist_ok=True)
    agents = Agent.objects.order_by("pk").values_list("pk", flat=True)[: SIZES["agents"]]
    texts = {pk: tokens.mint() for pk in agents}
    AgentToken.objects.filter(hint="bench").delete()
    AgentToken.objects.bulk_create(
        [
            AgentToken(
                agent_id=pk,
                digest=tokens.digest(text),
                hint="bench",
                scopes=["read", "install", "review"],
            )
            for pk, text in texts.items()
        ],
        batch_size=5000,
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT agent_id, slug FROM installs_personainstall "
            "JOIN catalogue_persona AS persona ON persona.id = persona_id"
        )
        reviewers = [f"{texts[pk]} {slug}" for pk, slug in cursor.fetchall() if pk in texts]
        cursor.execute("VACUUM ANALYZE")
    skills = Skill.objects.published()
    titles = skills.order_by("pk").values_list("title", flat=True)[:2000]
    lists = {
        "skills": skills.values_list("slug", flat=True),
        "personas": Persona.objects.published()
        .filter(price_cents=0)
        .values_list("slug", flat=True),
        "tokens": texts.values(),
        "reviewers": reviewers,
        "words": sorted({title.split()[0].lower() for title in titles}),
    }
    for name, rows in lists.items():
        (folder / name).write_text("\n".join(rows) + "\n")


def write_etags(folder, server):
    """Paths with the ETag that they have now."""
    slugs = (folder / "skills").read_text().split()[:200]
    paths = ["skills", *(f"skills/{slug}" for slug in slugs)]
    rows = []
    for path in paths:
        with urllib.request.urlopen(f"{server.url}/api/v1/{path}") as answer:
            rows.append(f"{path} {answer.headers['ETag']}")
    (folder / "etags").write_text("\n".join(rows) + "\n")
