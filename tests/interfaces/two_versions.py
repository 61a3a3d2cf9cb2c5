"""Entries whose second version differs from the first."""

from tests.api.versions import rewrite
from tests.factories import PersonaFactory, SkillFactory


def skill_of_two_versions():
    skill = SkillFactory(
        slug="pdf-tables",
        title="PDF <i>tables</i>",
        version="1.0",
        content="# First\n\n<script>alert(1)</script>",
        files={"scripts/run.py": b"print(1)\n"},
    )
    rewrite(skill, "# Second", version="2.0")
    return skill


def persona_of_two_versions():
    persona = PersonaFactory(slug="archivist", title="Archivist", content="You are one.")
    rewrite(persona, "You are two.")
    return persona
