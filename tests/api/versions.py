"""Entries with versions, for the tests of them."""

from tests.factories import PersonaFactory, SkillFactory

FRONTMATTER = "---\nname: pdf-tables\ndescription: Extracts tables.\n---\n"
ONE, TWO = f"{FRONTMATTER}\nOne.\n", f"{FRONTMATTER}\nTwo.\n"


def rewrite(entry, content, **fields):
    """Give an entry another text, as staff do."""
    entry.content = content
    for name, value in fields.items():
        setattr(entry, name, value)
    entry.save()


def skill_with_versions():
    """A skill with two versions: the first with a file, the second with another one."""
    skill = SkillFactory(
        slug="pdf-tables",
        title="PDF",
        version="1.0",
        description="Extracts tables.",
        content=ONE,
        files={"scripts/run.py": b"print(1)\n"},
    )
    later = SkillFactory(status="draft", files={"run.bin": b"\xff"})
    rewrite(skill, TWO, title="PDF Tables", version="2.0", files=later.files)
    return skill


def persona_with_versions():
    persona = PersonaFactory(slug="archivist", content="You are one.")
    rewrite(persona, "You are two.")
    return persona
