"""The statements that each endpoint runs, captured here and written as scripts for pgbench."""

from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import AgentToken
from catalogue.models import FREE, Persona, Skill


def write_scripts(folder):
    """Write one script for each endpoint beside the lists; each rolls back what it wrote."""
    token, persona = (folder / "reviewers").read_text().splitlines()[0].split()
    word = (folder / "words").read_text().split()[0]
    client = Client(headers={"Authorization": f"Bearer {token}"}, HTTP_HOST="127.0.0.1")
    for endpoint, request in requests(token, persona, word).items():
        script = "".join(
            f"{sql};\n" for sql in ["BEGIN", *statements(client, *request), "ROLLBACK"]
        )
        (folder / f"{endpoint}.sql").write_text(script)


def requests(token, persona, word):
    """A request to each endpoint: {endpoint: (method, path, body)}."""
    agent = AgentToken.objects.authenticate(token).agent
    skill = Skill.objects.exclude(agent_installs__agent=agent).first().slug
    new = Persona.objects.filter(price_cents=FREE).exclude(agent_installs__agent=agent).first().slug
    return {
        "list": ("get", "skills", None),
        "filtered list": ("get", "skills?category=category-1", None),
        "search": ("get", f"skills?q={word}", None),
        "detail": ("get", f"skills/{skill}", None),
        "304": ("get", f"skills/{skill}", None),
        "profile": ("get", "agents/me", None),
        "skill install": ("post", "agents/me/skills/install", {"slug": skill}),
        "persona install": ("post", "agents/me/personas/install", {"slug": new, "setActive": True}),
        "review": ("post", "agents/me/reviews", {"personaSlug": persona, "rating": 4}),
    }


def statements(client, method, path, body):
    options = {"data": body, "content_type": "application/json"} if body else {}
    with transaction.atomic():
        with CaptureQueriesContext(connection) as captured:
            getattr(client, method)(f"/api/v1/{path}", **options)
        transaction.set_rollback(True)
    # pgbench reads a colon as the start of a variable, also in texts.
    return [
        query["sql"].strip().replace("HH24:MI:SS", 'HH24":"MI":"SS')
        for query in captured.captured_queries
        if "SAVEPOINT" not in query["sql"]
    ]
