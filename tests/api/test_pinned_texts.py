"""The texts that an agent gets of pinned entries (contract 25.9)."""

import pytest

from tests.api.versioned_kinds import ME, Kind, text
from tests.factories import PersonaFactory, SkillFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=["skill", "persona"])
def kind(request):
    return Kind(request.param)


@pytest.mark.contract("25.9")
def test_a_list_shows_what_the_agent_is_given(client, kind):
    kind.post(client, "install", version=1)
    latest = {"number": 3, "version": "3.0", "digest": kind.digest(3)}

    row = kind.own(client)
    assert {name: row[name] for name in ("title", "version", "digest", "number")} == {
        "title": "One",
        "version": "1.0",
        "digest": kind.digest(1),
        "number": 1,
    }
    assert (row["pinned"], row["latest"]) == (True, latest)
    assert (row["installedDigest"], row["updateAvailable"]) == (kind.digest(1), True)

    kind.post(client, "unpin")
    row = kind.own(client)
    assert (row["title"], row["number"], row["pinned"]) == ("Title 3", 3, False)
    assert (row["digest"], row["latest"], row["updateAvailable"]) == (kind.digest(3), latest, True)

    kind.entry.withdraw()
    row = kind.own(client)
    assert (row["number"], row["latest"], row["updateAvailable"]) == (None, None, False)


def given(client, kind):
    """The entry in the manifest."""
    manifest = client.get(f"{ME}/manifest").json()
    if kind.name == "persona":
        return manifest["activePersona"]
    return manifest["skills"][0] if manifest["skills"] else None


@pytest.mark.contract("25.9")
def test_the_manifest_has_the_pinned_text(client, kind):
    active = {"setActive": True} if kind.name == "persona" else {}
    kind.post(client, "install", version=2, **active)
    etag = client.get(f"{ME}/manifest")["ETag"]

    row = given(client, kind)
    fields = ("content", "title", "version", "digest", "number", "pinned", "updateAvailable")
    assert [row[name] for name in fields] == [
        *(text(2), "Title 2", "2.0", kind.digest(2), 2, True, True)
    ]
    assert row["latest"] == {"number": 3, "version": "3.0", "digest": kind.digest(3)}

    kind.post(client, "unpin")
    assert client.get(f"{ME}/manifest")["ETag"] != etag
    row = given(client, kind)
    assert [row[name] for name in fields] == [
        *(text(3), "Title 3", "3.0", kind.digest(3), 3, False, True)
    ]


@pytest.mark.contract("25.9")
def test_a_recalled_text_that_is_pinned_is_not_in_the_manifest(client, kind):
    active = {"setActive": True} if kind.name == "persona" else {}
    kind.post(client, "install", version=2, **active)

    kind.recall(2)

    assert given(client, kind) is None
    kind.post(client, "unpin")
    assert given(client, kind)["number"] == 3


@pytest.mark.contract("25.9")
def test_the_profile_tells_of_no_update_of_what_is_pinned(client, kind):
    kind.post(client, "install", version=1)
    assert client.get(ME).json()["updates"] == []

    kind.post(client, "unpin")

    [update] = client.get(ME).json()["updates"]
    assert (update["slug"], update["digest"]) == (kind.slug, kind.digest(3))


@pytest.mark.contract("25.9")
def test_files_of_a_pinned_skill_are_those_of_its_version(client, anyone):
    skill = SkillFactory(slug="pdf-tables", files={"scripts/run.py": b"print(1)\n"})
    client.post(f"{ME}/skills/install", {"slug": "pdf-tables", "version": 1})
    skill.files = SkillFactory(files={"scripts/run.py": b"print(2)\n"}).files
    skill.save()

    [row] = client.get(f"{ME}/manifest").json()["skills"]
    [file] = row["files"]

    assert file["url"].endswith("/skills/pdf-tables/versions/1/files/scripts/run.py")
    assert anyone.get(file["url"]).content == b"print(1)\n"
    client.post(f"{ME}/skills/unpin", {"slug": "pdf-tables"})
    [row] = client.get(f"{ME}/manifest").json()["skills"]
    assert anyone.get(row["files"][0]["url"]).content == b"print(2)\n"


@pytest.mark.contract("25.9")
def test_a_bundled_skill_is_pinned_only_by_its_own_install(client):
    skill, other = Kind("skill"), SkillFactory(slug="csv")
    PersonaFactory(slug="archivist", skills=[skill.entry, other])
    client.post(f"{ME}/personas/install", {"slug": "archivist", "setActive": True})
    skill.post(client, "install", version=1)

    rows = {row["slug"]: row for row in client.get(f"{ME}/manifest").json()["skills"]}

    assert (rows["pdf-tables"]["number"], rows["pdf-tables"]["pinned"]) == (1, True)
    assert rows["pdf-tables"]["via"] == ["install", "persona"]
    assert (rows["csv"]["number"], rows["csv"]["pinned"]) == (1, False)
