"""The versions of an entry: how they are made, kept, listed and read (contract 25)."""

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from threading import Barrier
from zipfile import ZipFile

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from catalogue.models import FileContent, Persona, PersonaVersion, Skill, SkillVersion
from marketplace.api.fields import timestamp
from tests.api.feed import feed
from tests.factories import PersonaFactory, SkillFactory

pytestmark = pytest.mark.django_db(transaction=True)

URL = "/api/v1/skills/pdf-tables/versions"
PERSONA_URL = "/api/v1/personas/archivist/versions"
FRONTMATTER = "---\nname: pdf-tables\ndescription: Extracts tables.\n---\n"
ONE, TWO = f"{FRONTMATTER}\nOne.\n", f"{FRONTMATTER}\nTwo.\n"


def rewrite(entry, content, **fields):
    """Give an entry another text, as staff do."""
    entry.content = content
    for name, value in fields.items():
        setattr(entry, name, value)
    entry.save()


@pytest.fixture
def skill():
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


@pytest.fixture
def persona():
    persona = PersonaFactory(slug="archivist", content="You are one.")
    rewrite(persona, "You are two.")
    return persona


def numbers(entry):
    """`[(number, digest), …]`, oldest first."""
    return [*entry.versions.order_by("number").values_list("number", "digest")]


# How they are made


@pytest.mark.parametrize("factory", [SkillFactory, PersonaFactory])
def test_each_published_text_is_a_version(factory):
    entry = factory(status="draft", content="A draft.")
    assert numbers(entry) == []

    entry.publish()
    entry.refresh_from_db()
    first = entry.digest
    assert numbers(entry) == [(1, first)]

    rewrite(entry, "Another text.")
    entry.refresh_from_db()
    assert numbers(entry) == [(1, first), (2, entry.digest)]

    entry.withdraw()
    rewrite(entry, "Written while it was away.")
    entry.refresh_from_db()
    assert len(numbers(entry)) == 2
    entry.publish()
    assert numbers(entry)[2:] == [(3, entry.digest)]


@pytest.mark.parametrize("factory", [SkillFactory, PersonaFactory])
def test_what_changes_no_digest_makes_no_version(factory):
    entry = factory(content=ONE, slug="pdf-tables", description="Extracts tables.")

    rewrite(entry, ONE, category="other", license="MIT")
    entry.deprecate("Old.")
    entry.withdraw()
    entry.publish()

    assert len(numbers(entry)) == 1


def test_an_earlier_text_again_is_a_new_number(skill):
    first = numbers(skill)[0][1]

    rewrite(skill, ONE, files=SkillVersion.objects.get(number=1).files)
    skill.refresh_from_db()

    assert skill.digest == first
    assert [digest for _, digest in numbers(skill)] == [first, numbers(skill)[1][1], first]
    assert FileContent.objects.filter(data=ONE.encode()).count() == 1


@pytest.mark.parametrize("model", [Skill, Persona])
def test_concurrent_saves_use_no_number_twice(model):
    factory = SkillFactory if model is Skill else PersonaFactory
    entry = factory(content="0")
    rounds, together = 20, Barrier(2)

    def save(writer):
        for number in range(rounds):
            mine = model.objects.get(pk=entry.pk)
            together.wait(10)
            rewrite(mine, f"{writer} {number}")
        connection.close()

    with ThreadPoolExecutor(2) as pool:
        [*pool.map(save, "ab")]

    made = [number for number, _ in numbers(entry)]
    assert made == [*range(1, 2 * rounds + 2)]


# How they are kept


REFUSED = [
    "UPDATE catalogue_skillversion SET title = 'Other'",
    "UPDATE catalogue_skillversion SET digest = 'sha256:0'",
    "UPDATE catalogue_skillversion SET number = number + 10, recalled_at = now()",
    "UPDATE catalogue_skillversion SET content_digest = ''",
    "UPDATE catalogue_skillversion SET files = '[]' WHERE number = 1",
    "UPDATE catalogue_personaversion SET description = 'x'",
    "UPDATE catalogue_personaversion SET content_digest = ''",
    "DELETE FROM catalogue_skillversion WHERE number = 1",
    "DELETE FROM catalogue_personaversion",
    "UPDATE catalogue_filecontent SET data = ''",
]


def run(statement):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.usefixtures("skill", "persona")
@pytest.mark.parametrize("statement", REFUSED)
def test_a_version_cannot_be_changed(statement):
    before = [*SkillVersion.objects.values()], [*PersonaVersion.objects.values()]

    with pytest.raises(IntegrityError, match="never changes"):
        run(statement)

    assert before == ([*SkillVersion.objects.values()], [*PersonaVersion.objects.values()])


def test_a_recall_is_the_one_change_of_a_version(skill):
    skill.versions.filter(number=1).update(recalled_at=timezone.now(), recall_reason="Unsafe.")
    skill.versions.filter(number=1).update(recalled_at=None, recall_reason="")

    assert skill.versions.get(number=1).recall_reason == ""


@pytest.mark.usefixtures("persona")
def test_a_stored_text_of_a_version_stays(skill):
    unused = FileContent.objects.create(digest="sha256:0", data=b"unused")
    used = FileContent.objects.exclude(pk=unused.pk)
    # SKILL.md twice, a file twice, and two prompts.
    assert used.count() == 6

    for stored in used:
        with pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
            stored.delete()
    unused.delete()

    assert used.count() == 6


def test_what_was_published_cannot_be_deleted(skill, persona):
    skill.withdraw()
    draft = SkillFactory(status="draft")

    for entry in (skill, persona):
        with pytest.raises(ProtectedError):
            entry.delete()
        with pytest.raises(IntegrityError):
            run(f"DELETE FROM {entry._meta.db_table} WHERE id = {entry.pk}")
    draft.delete()

    assert Skill.objects.filter(pk=skill.pk).exists()


@pytest.mark.parametrize("factory", [SkillFactory, PersonaFactory])
def test_a_recalled_text_cannot_come_back(factory):
    entry = factory(content="One.")
    rewrite(entry, "Two.")
    entry.versions.filter(number=1).update(recalled_at=timezone.now(), recall_reason="Unsafe.")

    with pytest.raises(IntegrityError, match="recalled"):
        rewrite(entry, "One.")

    factory(content="One.")  # another entry may have it
    assert len(numbers(entry)) == 2


# How they are read


def as_listed(version, **values):
    return {
        "number": version.number,
        "version": version.version,
        "digest": version.digest,
        "contextTokens": version.context_tokens,
        "createdAt": timestamp(version.created_at),
        "isCurrent": False,
        "recall": None,
        **values,
    }


def test_versions_are_listed_newest_first(anyone, skill):
    two, one = skill.versions.all()

    response = anyone.get(URL)

    assert response.status_code == 200
    assert response.json() == {
        "results": [as_listed(two, isCurrent=True), as_listed(one)],
        "count": 2,
        "next": None,
        "previous": None,
    }
    assert (one.version, two.version) == ("1.0", "2.0")
    first = anyone.get(URL, {"limit": 1}).json()
    assert first["results"] == [as_listed(two, isCurrent=True)]
    assert anyone.get(first["next"]).json()["results"] == [as_listed(one)]


def test_a_list_is_as_fresh_as_its_entry(anyone, skill):
    etag = anyone.get(URL)["ETag"]
    assert anyone.get(URL, headers={"If-None-Match": etag}).status_code == 304

    rewrite(skill, "Three.")
    assert [row["isCurrent"] for row in anyone.get(URL).json()["results"]] == [True, False, False]
    skill.withdraw()

    response = anyone.get(URL)
    assert (response.status_code, response.json()) == (404, {"error": "Skill not found"})
    assert anyone.get(f"{URL}/1").json() == {"error": "Skill not found"}


def test_one_version_has_its_text_and_files(anyone, skill):
    version = skill.versions.get(number=1)
    [file] = version.files

    response = anyone.get(f"{URL}/1")

    assert response.status_code == 200
    assert response.json() == {
        "slug": "pdf-tables",
        "number": 1,
        "version": "1.0",
        "title": "PDF",
        "description": "Extracts tables.",
        "digest": version.digest,
        "content": ONE,
        "contextTokens": version.context_tokens,
        "createdAt": timestamp(version.created_at),
        "isCurrent": False,
        "files": [
            {
                "path": "scripts/run.py",
                "size": 9,
                "digest": file["digest"],
                "url": f"http://testserver{URL}/1/files/scripts/run.py",
                "mediaType": "text/plain",
            }
        ],
    }
    assert response["Cache-Control"] == "public, no-cache"
    again = anyone.get(f"{URL}/1", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_one_version_of_a_persona_has_its_prompt(anyone, persona):
    version = persona.versions.get(number=1)

    response = anyone.get(f"{PERSONA_URL}/1")

    assert response.status_code == 200
    assert response.json() == {
        "slug": "archivist",
        "number": 1,
        "version": "",
        "title": persona.title,
        "description": persona.description,
        "digest": version.digest,
        "content": "You are one.",
        "contextTokens": 3,
        "createdAt": timestamp(version.created_at),
        "isCurrent": False,
    }


def test_the_bytes_of_a_version_stay_the_same(anyone, skill):
    paths = [f"{URL}/1/SKILL.md", f"{URL}/1/files/scripts/run.py", f"{URL}/1/archive.zip"]
    before = [b"".join(anyone.get(path)) for path in paths]

    skill.slug = "renamed"
    rewrite(skill, "Three.", title="Other", files=[])

    renamed = [path.replace("pdf-tables", "renamed") for path in paths]
    responses = [anyone.get(path) for path in renamed]
    assert [response.content for response in responses] == before
    assert [response["Content-Type"] for response in responses] == [
        "text/markdown; charset=utf-8",
        "text/plain; charset=utf-8",
        "application/zip",
    ]
    assert before[:2] == [ONE.encode(), b"print(1)\n"]
    with ZipFile(BytesIO(before[2])) as archive:
        assert archive.namelist() == ["SKILL.md", "scripts/run.py"]
        assert archive.read("SKILL.md").decode() == ONE
    for response in responses:
        assert "immutable" not in response["Cache-Control"]
        assert response["ETag"]


def test_the_prompt_of_a_priced_persona_is_in_no_version(anyone, persona):
    assert anyone.get(f"{PERSONA_URL}/1").json()["content"] == "You are one."

    Persona.objects.filter(pk=persona.pk).update(price_cents=500)

    shown = anyone.get(f"{PERSONA_URL}/1").json()
    assert (shown["content"], shown["number"]) == (None, 1)


@pytest.mark.parametrize("number", ["0", "3", "01", "-1", "1.0", "one", "%00", "٣", "9" * 30])
@pytest.mark.parametrize("below", ["", "/SKILL.md", "/archive.zip", "/files/scripts/run.py"])
@pytest.mark.usefixtures("skill")
def test_what_is_no_version_is_not_found(anyone, number, below):
    response = anyone.get(f"{URL}/{number}{below}")

    assert (response.status_code, response.json()) == (404, {"error": "Version not found"})


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/api/v1/skills/no-such/versions", "Skill not found"),
        ("/api/v1/skills/no-such/versions/1", "Skill not found"),
        ("/api/v1/skills/No.Slug/versions/x", "Skill not found"),
        ("/api/v1/personas/no-such/versions", "Persona not found"),
        ("/api/v1/personas/no-such/versions/1", "Persona not found"),
        (f"{URL}/1/files/other.py", "File not found"),
    ],
)
@pytest.mark.usefixtures("skill")
def test_what_is_nowhere_is_not_found(anyone, path, error):
    response = anyone.get(path)

    assert (response.status_code, response.json()) == (404, {"error": error})


def test_a_recalled_version_is_listed_and_cannot_be_read(anyone, skill):
    assert anyone.get(f"{URL}/1").status_code == 200
    at = timezone.now()
    skill.versions.filter(number=1).update(recalled_at=at, recall_reason="It deletes files.")

    recall = {"reason": "It deletes files.", "at": timestamp(at)}
    assert anyone.get(URL).json()["results"][1]["recall"] == recall
    for below in ("", "/SKILL.md", "/archive.zip", "/files/scripts/run.py"):
        response = anyone.get(f"{URL}/1{below}")
        assert (response.status_code, response.json()) == (404, {"error": "Version not found"})
    assert anyone.get(f"{URL}/2").status_code == 200


def test_the_feed_names_the_number(anyone, skill):
    def number():
        return {row["slug"]: row["number"] for row in feed(anyone)["results"]}["pdf-tables"]

    assert number() == 2
    skill.withdraw()
    assert number() is None
    skill.publish()
    assert number() == 2
