"""purge_version takes a text out of the database, which the law may ask for"""

from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from catalogue.models import FileContent, Persona, Purge, Skill
from tests.api.versioned_kinds import ME, Kind
from tests.api.versions import rewrite
from tests.factories import PersonaFactory, SkillFactory

REASON = "A court forbids it."
SECRET = "forbidden-words"
HEAD = "---\nname: pdf-tables\ndescription: Extracts.\n---\n"


@pytest.fixture(params=["skill", "persona"])
def kind(request, db):
    return Kind(request.param)


def purge(kind, slug, number, reason=REASON):
    out = StringIO()
    call_command("purge_version", kind, slug, str(number), "--reason", reason, stdout=out)
    return out.getvalue().splitlines()


def tables_with(text):
    """Every table of the database with this text in a row."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT oid::regclass::text FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        names = [name for (name,) in cursor.fetchall()]
        tables = []
        for name in names:
            # A bytea is searched as its escaped text.
            cursor.execute(
                f"SELECT 1 FROM {name} AS row, jsonb_each_text(to_jsonb(row)) AS column_"
                " WHERE position(%s IN column_.value) > 0 OR position(%s IN column_.value) > 0",
                [text, text.encode().hex()],
            )
            if cursor.fetchone():
                tables.append(name)
    return tables


def forbidden_skill():
    """A skill with the forbidden words in each part of its numbers 1 and 3, and not in 2 and 4."""
    parts = {"title": f"T {SECRET}", "description": f"D {SECRET}", "version": SECRET}
    skill = SkillFactory(
        slug="pdf-tables",
        content=f"{HEAD}{SECRET}\n",
        files={f"{SECRET}.md": f"{SECRET} in a file".encode(), "good.md": b"good"},
        **parts,
    )
    bad = {**parts, "files": skill.files}
    good = {"title": "Good", "description": "Good.", "version": "2", "files": []}
    rewrite(skill, f"{HEAD}Good.\n", **good)
    rewrite(skill, f"{HEAD}{SECRET}\n", **bad)
    skill.snapshot_before_change()
    rewrite(skill, f"{HEAD}Good again.\n", **good)
    skill.snapshot_before_change()
    return skill


@pytest.mark.contract("25.13")
def test_nothing_of_the_text_is_left(db, anyone):
    skill = forbidden_skill()
    digest = skill.versions.get(number=1).digest
    assert {"catalogue_skillversion", "catalogue_filecontent", "catalogue_historicalskill"} <= set(
        tables_with(SECRET)
    )

    lines = purge("skill", "pdf-tables", 1)

    assert tables_with(SECRET) == []
    assert lines[0] == f"Purged the skill pdf-tables, version 1, 3: {digest}"
    assert lines[-1].startswith("The text may also be in backups")
    assert len(lines) == 2
    versions = anyone.get("/api/v1/skills/pdf-tables/versions").json()["results"]
    assert [(row["number"], row["recall"] and row["recall"]["reason"]) for row in versions] == [
        *((4, None), (3, REASON), (2, None), (1, REASON))
    ]
    assert [versions[-1][name] for name in ("digest", "version")] == [digest, ""]
    assert anyone.get("/api/v1/skills/pdf-tables/versions/1").status_code == 404
    assert anyone.get("/api/v1/skills/pdf-tables/versions/2").json()["title"] == "Good"


@pytest.mark.contract("25.13")
def test_nothing_of_a_personas_frontmatter_is_left(db, anyone):
    bad = f"---\nname: archivist\nhooks: {SECRET}\n---\n\n"
    persona = PersonaFactory(slug="archivist", content="Keep.", frontmatter=bad)
    persona.snapshot_before_change()
    rewrite(persona, "Keep.", frontmatter="", title="Good")  # the prompt and the title go on
    persona.snapshot_before_change()
    rewrite(persona, "Keep it.", frontmatter="---\ntools: Read\n---\n\n")
    tables = {"catalogue_personaversion", "catalogue_historicalpersona"}
    assert tables <= set(tables_with(SECRET))

    purge("persona", "archivist", 1)

    assert tables_with(SECRET) == []
    history = persona.history.order_by("history_id").values_list("content", "frontmatter")
    assert [*history] == [("", ""), ("Keep.", "")]
    assert anyone.get("/api/v1/personas/archivist/versions/1").status_code == 404
    assert anyone.get("/api/v1/personas/archivist/versions/2").json()["content"] == "Keep."


@pytest.mark.contract("25.13")
@pytest.mark.parametrize("frontmatter", ["", "---\ntools: Write\n---\n"])
def test_a_purged_prompt_does_not_come_back_below_other_frontmatter(db, frontmatter):
    persona = PersonaFactory(content=SECRET, frontmatter="---\ntools: Read\n---\n\n")
    rewrite(persona, "Good.", frontmatter="")
    purge("persona", persona.slug, 1)
    other = PersonaFactory(content=f"{SECRET}\n", frontmatter=frontmatter, status="draft")

    with pytest.raises(ValidationError, match="This text was purged"):
        other.publish()

    with pytest.raises(IntegrityError), transaction.atomic():
        Persona.objects.update(status="published")


@pytest.mark.contract("25.13")
def test_agents_are_told_as_by_a_recall(kind, client):
    kind.post(client, "install", version=1)

    purge(kind.name, kind.slug, 1)

    [advisory] = client.get(ME).json()["advisories"]
    assert (advisory["number"], advisory["reason"]) == (1, REASON)
    manifest = client.get(f"{ME}/manifest").json()
    assert (manifest["activePersona"], manifest["skills"]) == (None, [])


@pytest.mark.contract("25.13")
def test_the_current_text_is_not_purged(kind):
    with pytest.raises(CommandError, match="has this text now"):
        purge(kind.name, kind.slug, 3)

    assert not Purge.objects.exists()
    assert kind.entry.versions.readable().count() == 3


@pytest.mark.contract("25.13")
def test_purging_the_newest_of_a_withdrawn_entry_takes_its_own_text(kind):
    kind.entry.description = "Text 3"
    kind.entry.save()
    kind.entry.withdraw()

    purge(kind.name, kind.slug, 3)

    kind.entry.refresh_from_db()
    assert (kind.entry.title, kind.entry.content, kind.entry.description) == (kind.slug, "", "")
    assert tables_with("Text 3") == []
    kind.rewrite(4)
    kind.entry.publish()
    kind.entry.refresh_from_db()
    assert kind.entry.number == 4


@pytest.mark.contract("25.13")
def test_bytes_that_other_entries_use_stay_and_are_named(db):
    skill = forbidden_skill()
    same_file = {"other.md": f"{SECRET} in a file".encode()}
    SkillFactory(slug="other", content="Other.", files=same_file)
    SkillFactory(slug="draft", status="draft", content=f"{HEAD}{SECRET}\n")
    version = skill.versions.get(number=1)
    content = version.content_digest
    file = next(file["digest"] for file in version.files if SECRET in file["path"])

    lines = purge("skill", "pdf-tables", 3)

    assert lines[1:-1] == [
        "The same bytes stay here:",
        f"  the draft skill draft: {content}",
        f"  the published skill other: {file}",
        f"  version 1 of the skill other: {file}",
    ]
    stored = set(FileContent.objects.values_list("digest", flat=True))
    assert (content in stored, file in stored) == (False, True)


def test_the_same_text_of_another_entry_is_purged_by_a_command_of_its_own(db):
    one = PersonaFactory(slug="one", content=SECRET)
    two = PersonaFactory(slug="two", content=SECRET)
    for persona in (one, two):
        rewrite(persona, "Good.")

    assert purge("persona", "one", 1)[2:-1] == [f"  version 1 of the persona two: {one_digest()}"]
    assert two.versions.get(number=1).content == SECRET
    rewrite(two, "Good as well.")  # what else the entry has goes on

    assert len(purge("persona", "two", 1)) == 2
    assert tables_with(SECRET) == []


def one_digest():
    [purged] = Purge.objects.all()
    return purged.digest


def test_running_it_again_changes_nothing(kind):
    first = purge(kind.name, kind.slug, 1)
    before = list(kind.entry.versions.values())

    assert purge(kind.name, kind.slug, 1) == first
    assert [row["recalled_at"] for row in kind.entry.versions.values()] == [
        row["recalled_at"] for row in before
    ]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("skill", "pdf-tables", 9), "No skill 'pdf-tables' has a version 9."),
        (("persona", "pdf-tables", 1), "No persona 'pdf-tables' has a version 1."),
        (("skill", "pdf-tables", 1, " "), "--reason must be 1 to 1000 characters."),
        (("skill", "pdf-tables", 1, "x" * 1001), "--reason must be 1 to 1000 characters."),
    ],
)
def test_a_mistake_purges_nothing(db, arguments, error):
    Kind("skill")

    with pytest.raises(CommandError) as raised:
        purge(*arguments)

    assert str(raised.value) == error
    assert not Purge.objects.exists()


def test_the_pages_of_staff_show_that_it_was_purged(admin_client, kind):
    purge(kind.name, kind.slug, 1)
    place = f"/admin/catalogue/{kind.name}/{kind.entry.pk}/versions/"

    assert "purged" in admin_client.get(place).content.decode()
    assert "Only its digest remains." in admin_client.get(f"{place}1/").content.decode()
    page = admin_client.get(f"{place}compare/?from=1&to=3").content.decode()
    assert "there is nothing to compare" in page
    for action in ("restore", "lift_recall"):
        assert admin_client.get(f"{place}1/{action}/").status_code == 200
        admin_client.post(f"{place}1/{action}/", {"confirmed": "yes"})
    assert Skill.objects.count() == (kind.name == "skill")
    assert kind.entry.versions.get(number=1).is_purged
