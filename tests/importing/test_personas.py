"""manage.py import_personas: Markdown files with frontmatter become personas; the body prompts."""

import pytest

from catalogue.models import Persona
from tests.factories import SkillFactory
from tests.imports import PERSONAS, import_personas, persona, served, slugs, write

pytestmark = pytest.mark.django_db

NO_FRONTMATTER = "no frontmatter: the file must begin with fields between two lines of ---"
NO_PROMPT = "no prompt after the frontmatter"
BAD_PRICE = "priceCents must be a whole number of cents, 0 or more"


def shown_of(anyone, tmp_path, *lines, body="You do it."):
    """The API's response for a persona with this frontmatter, imported without a note."""
    persona(tmp_path / "archivist.md", "name: archivist", *lines, body=body)
    outcome = import_personas(tmp_path)
    assert outcome.lines == ["personas: 1 created, 0 updated, 0 unchanged, 0 refused"]
    assert outcome.status == 0
    return served(anyone, "archivist", PERSONAS)


@pytest.mark.contract("23.2")
def test_every_markdown_file_below_the_path_becomes_a_persona(anyone, tmp_path):
    persona(tmp_path / "one.md")
    persona(tmp_path / "deep" / "er" / "two.MD")
    write(tmp_path / "deep" / "three.json", "{}")
    write(tmp_path / "deep" / "four.txt", "---\nname: four\n---\nText.")

    outcome = import_personas(tmp_path)

    assert slugs(anyone, PERSONAS) == ["one", "two"]
    assert outcome.lines == ["personas: 2 created, 0 updated, 0 unchanged, 0 refused"]
    assert outcome.status == 0


ARCHIVIST = [
    "title: The Archivist",
    "description: Keeps things.",
    "category: research",
    "tags: [papers, order]",
    "runtimes: [python]",
    "author: Harbour Tools",
    "version: 1.10",
    "license: MIT",
    "skills: [pdf-tables]",
]
PROMPT = "You keep things.\n\n---\n\n  Always."


@pytest.mark.contract("23.2")
def test_the_api_serves_every_field_of_a_persona_file(anyone, tmp_path):
    skill = SkillFactory(slug="pdf-tables")

    detail = shown_of(anyone, tmp_path, *ARCHIVIST, body=PROMPT)

    assert detail.pop("personaId").startswith("persona_")
    assert detail.pop("createdAt") <= detail.pop("updatedAt")
    assert detail.pop("digest").startswith("sha256:")
    assert detail == {
        "slug": "archivist",
        "title": "The Archivist",
        "description": "Keeps things.",
        "category": "research",
        "tags": ["papers", "order"],
        "runtimes": ["python"],
        "author": "Harbour Tools",
        "version": "1.10",
        "license": "MIT",
        "number": 1,
        "deprecation": None,
        "priceCents": 0,
        "isFree": True,
        "skills": [
            {"slug": "pdf-tables", "skillId": skill.public_id}
            | {"title": skill.title, "description": skill.description}
        ],
        "installs": 0,
        "ratingAvg": None,
        "ratingCount": 0,
        "ratings": {"average": None, "count": 0, "distribution": dict.fromkeys("12345", 0)},
        "contextTokens": 9,
        "content": f"{PROMPT}\n",
        "frontmatter": "\n".join(["---", "name: archivist", *ARCHIVIST, "---", "", ""]),
        "tools": None,
    }


@pytest.mark.parametrize("name", ["archivist.md", "Archivist.agent.md", "ARCHIVIST.SOUL.md"])
def test_a_missing_name_is_the_files(anyone, tmp_path, name):
    persona(tmp_path / name, "description: Keeps things.")

    import_personas(tmp_path)

    assert slugs(anyone, PERSONAS) == ["archivist"]


def test_a_prompt_of_300_kilobytes_is_served_whole(anyone, tmp_path):
    prompt = "You do it.\n" * 30_000 + "Always."

    assert shown_of(anyone, tmp_path, body=prompt)["content"] == f"{prompt}\n"


@pytest.mark.parametrize("lines", [["priceCents: 1900"], ['priceCents: "1900"']])
def test_a_priced_persona_shows_its_price_and_no_prompt(anyone, tmp_path, lines):
    detail = shown_of(anyone, tmp_path, *lines)

    assert (detail["priceCents"], detail["isFree"], detail["content"]) == (1900, False, None)


def test_a_price_is_read_from_metadata_too(anyone, tmp_path):
    detail = shown_of(anyone, tmp_path, """metadata: '{"priceCents": 1900, "author": "Harbour"}'""")

    assert (detail["priceCents"], detail["author"]) == (1900, "Harbour")


@pytest.mark.contract("23.2")
@pytest.mark.parametrize("line", ["priceCents:", "priceCents: null", "priceCents: 0"])
def test_no_price_is_free(anyone, tmp_path, line):
    assert shown_of(anyone, tmp_path, line)["isFree"]


@pytest.mark.contract("23.2")
@pytest.mark.parametrize(
    "price",
    [
        *("-1", "19.00", "1e3", "1_900", "free", "true", "$19", "19 EUR", "0x10", "٣"),
        *("2147483648", "99999999999999999999", "[1, 2]", "{amount: 1900}", "[[1900]]"),
    ],
)
def test_an_unusable_price_is_refused_and_never_taken_for_free(anyone, tmp_path, price):
    persona(tmp_path / "a.md")
    bad = persona(tmp_path / "b.md", "name: b", f"priceCents: {price}")

    outcome = import_personas(tmp_path)

    assert outcome.refused == [f"{bad}: {BAD_PRICE}"]
    assert outcome.status == 1
    assert slugs(anyone, PERSONAS) == ["a"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("# Just a text\n", NO_FRONTMATTER),
        ("", NO_FRONTMATTER),
        ("---\nname: b\n---\n", NO_PROMPT),
        ("---\nname: b\n---", NO_PROMPT),
        ("---\nname: b\n---\n \n\t\n", NO_PROMPT),
        (b"---\nname: b\n---\ncaf\xe9", "not UTF-8 text"),
        ("---\nname: b\n---\nA\0B", "contains NUL characters"),
        ("---\nname: b\n---\n" + "x" * 1024 * 1024, "larger than 1024 KiB"),
        ("---\nname: b\ntitle: " + "x" * 201 + "\n---\nText.", "title: "),
    ],
)
def test_an_invalid_persona_is_refused_and_the_others_are_imported(anyone, tmp_path, data, reason):
    persona(tmp_path / "a.md")
    bad = write(tmp_path / "b.md", data)
    persona(tmp_path / "c.md")

    outcome = import_personas(tmp_path)

    (line,) = outcome.refused
    assert line.startswith(f"{bad}: {reason}")
    assert outcome.summary == "personas: 2 created, 0 updated, 0 unchanged, 1 refused"
    assert outcome.status == 1
    assert slugs(anyone, PERSONAS) == ["a", "c"]


DOCUMENTS = [
    *("README.md", "readme.md", "README.zh-CN.md", "README_JA.markdown", "LICENSE.md"),
    *("CONTRIBUTING.md", "CLAUDE.md", "Claude.local.md", "AGENTS.md", "agents/AGENTS.md"),
    *("gemini.md", "GEMINI.md", "SECURITY.md", "security.md", "docs/SECURITY.md"),
    *("skills/pdf/SKILL.md", "skills/pdf/agents/grader.md", "skills/pdf/references/a.md"),
    *("skills/csv/skill.MD", "skills/csv/security.md", ".github/copilot-instructions.md"),
]


@pytest.mark.contract("23.2")
def test_other_documents_of_a_plugins_repository_are_left_alone(anyone, tmp_path):
    persona(tmp_path / "agents" / "archivist.md")
    for name in DOCUMENTS:
        persona(tmp_path / name, "name: other", "description: Not a role.")

    outcome = import_personas(tmp_path)

    assert outcome.lines == ["personas: 1 created, 0 updated, 0 unchanged, 0 refused"]
    assert (outcome.status, slugs(anyone, PERSONAS)) == (0, ["archivist"])


@pytest.mark.contract("23.2")
@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("agents/security.md", "security"),
        ("Agents/Claude.md", "claude"),
        ("security-auditor.md", "security-auditor"),
        ("readme-writer.md", "readme-writer"),
        ("support-engineer.markdown", "support-engineer"),
        ("skill-reviewer.md", "skill-reviewer"),
    ],
)
def test_a_role_may_have_a_similar_name(anyone, tmp_path, path, slug):
    persona(tmp_path / path, "description: A role.")

    assert import_personas(tmp_path).status == 0
    assert slugs(anyone, PERSONAS) == [slug]


def test_a_persona_linked_from_outside_the_path_is_refused(anyone, tmp_path):
    (tmp_path / "in").mkdir()
    link = tmp_path / "in" / "archivist.md"
    link.symlink_to(persona(tmp_path / "out" / "secret.md"))

    outcome = import_personas(tmp_path / "in")

    assert outcome.refused == [f"{link}: a symbolic link that leads outside the imported path"]
    assert slugs(anyone, PERSONAS) == []


def test_the_path_may_be_one_persona_file(anyone, tmp_path):
    persona(tmp_path / "two.md")

    import_personas(persona(tmp_path / "one.md"))

    assert slugs(anyone, PERSONAS) == ["one"]


def test_an_imported_persona_can_be_installed_and_reviewed(client, tmp_path):
    persona(tmp_path / "archivist.md")
    import_personas(tmp_path)

    body = {"slug": "archivist", "setActive": True}
    installed = client.post("/api/v1/agents/me/personas/install", body)
    body = {"personaSlug": "archivist", "rating": 5}
    reviewed = client.post("/api/v1/agents/me/reviews", body)

    assert (installed.status_code, reviewed.status_code) == (201, 201)
    assert Persona.objects.get().installs == 1
