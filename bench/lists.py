"""The lists that a load draws its requests from: a file each, with one value a line."""

from django.db import connection

from agents import tokens
from agents.models import Agent, AgentToken
from catalogue.models import FREE, Persona, Skill

MAX_AGENTS = 20_000  # who get a token
HINT = "bench"  # by which the tokens of an earlier run are found
REVIEWERS = """
    SELECT agent_id, slug FROM installs_personainstall
    JOIN catalogue_persona AS persona ON persona.id = persona_id
"""


def write(folder):
    """Write skills, personas, tokens, words, and reviewers with a persona that each has."""
    folder.mkdir(parents=True, exist_ok=True)
    issued = issue_tokens()
    skills, personas = Skill.objects.published(), Persona.objects.published()
    lists = {
        "skills": skills.values_list("slug", flat=True),
        "personas": personas.filter(price_cents=FREE).values_list("slug", flat=True),
        "tokens": issued.values(),
        "reviewers": reviewers(issued),
        "words": words(skills),
    }
    for name, rows in lists.items():
        (folder / name).write_text("\n".join(rows) + "\n")


def issue_tokens():
    """A new token for each agent: {the agent's key: the token's text}."""
    agents = Agent.objects.order_by("pk").values_list("pk", flat=True)[:MAX_AGENTS]
    issued = {pk: tokens.mint() for pk in agents}
    AgentToken.objects.filter(hint=HINT).delete()
    AgentToken.objects.bulk_create(
        [
            AgentToken(
                agent_id=pk,
                digest=tokens.digest(text),
                hint=HINT,
                scopes=["read", "install", "review"],
            )
            for pk, text in issued.items()
        ],
        batch_size=5000,
    )
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE agents_agenttoken")
    return issued


def reviewers(issued):
    """A token and the slug of a persona that its agent has installed, in each row."""
    with connection.cursor() as cursor:
        cursor.execute(REVIEWERS)
        return [f"{issued[pk]} {slug}" for pk, slug in cursor.fetchall() if pk in issued]


def words(skills):
    titles = skills.order_by("pk").values_list("title", flat=True)[:2000]
    return sorted({title.split()[0].lower() for title in titles})
