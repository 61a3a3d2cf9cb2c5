"""Installing, pinning, unpinning and updating to a version (contract 25.7 to 25.10)."""

import pytest
from django.utils import timezone

from catalogue.models import Persona, Skill
from installs.models import PersonaInstall, SkillInstall
from tests.factories import PersonaFactory, SkillFactory

pytestmark = pytest.mark.django_db(transaction=True)

ME = "/api/v1/agents/me"


class Kind:
    """A skill or a persona with three versions, and the paths of its installs."""

    def __init__(self, name):
        self.name, self.label = name, name.capitalize()
        self.slug = "pdf-tables" if name == "skill" else "archivist"
        self.model = Skill if name == "skill" else Persona
        self.Install = SkillInstall if name == "skill" else PersonaInstall
        factory = SkillFactory if name == "skill" else PersonaFactory
        self.entry = factory(slug=self.slug, title="One", version="1.0", content=text(1))
        for number in (2, 3):
            self.rewrite(number)

    def rewrite(self, number):
        self.entry.content, self.entry.title = text(number), f"Title {number}"
        self.entry.version = f"{number}.0"
        self.entry.save()

    def recall(self, number):
        versions = self.entry.versions.filter(number=number)
        versions.update(recalled_at=timezone.now(), recall_reason="Unsafe.")

    def digest(self, number):
        return self.entry.versions.get(number=number).digest

    def post(self, client, action, **body):
        return client.post(f"{ME}/{self.name}s/{action}", {"slug": self.slug, **body})

    def own(self, client):
        [row] = client.get(f"{ME}/{self.name}s").json()["results"]
        return row

    def installed(self):
        install = self.Install.objects.present().get()
        return install.installed_digest, install.number, install.pinned and install.pinned.number


def text(number):
    return f"---\nname: pdf-tables\ndescription: Extracts.\n---\nText {number}.\n"


@pytest.fixture(params=["skill", "persona"])
def kind(request):
    return Kind(request.param)


def test_a_version_is_installed_and_pinned(client, kind):
    response = kind.post(client, "install", version=2)

    assert response.status_code == 201
    assert response.json()["message"] == f"{kind.label} installed"
    assert kind.installed() == (kind.digest(2), 2, 2)


def test_without_a_version_the_newest_is_installed(client, kind):
    assert kind.post(client, "install").status_code == 201

    assert kind.installed() == (kind.digest(3), 3, None)


def test_an_unknown_version_is_refused_after_all_else(client, kind):
    def refused():
        response = kind.post(client, "install", version=4)
        return response.status_code, response.json()["error"]

    assert refused() == (404, "Version not found")
    kind.entry.withdraw()
    assert refused() == (404, f"{kind.label} not found")
    kind.entry.publish()
    if kind.name == "persona":
        Persona.objects.update(price_cents=500)
        assert refused()[0] == 402
        Persona.objects.update(price_cents=0)
    assert not kind.Install.objects.exists()
    kind.post(client, "install")
    assert refused() == (409, f"{kind.label} already installed")
    counter = kind.model.objects.values_list(kind.model.POPULARITY, flat=True)
    assert [*counter] == [1]


def test_a_recalled_version_is_none(client, kind):
    kind.recall(2)

    for action in ("install", "pin", "update"):
        response = kind.post(client, action, version=2)
        assert (response.status_code, response.json()) == (404, {"error": "Version not found"})
        kind.post(client, "install", version=1)
    assert kind.installed() == (kind.digest(1), 1, 1)


@pytest.mark.parametrize("action", ["install", "update", "pin"])
@pytest.mark.parametrize("version", [0, -1, 2**31, 1.5, "1", True, []])
def test_a_version_is_a_whole_number(client, kind, action, version):
    response = kind.post(client, action, version=version)

    assert response.status_code == 400
    error = "version must be a whole number from 1 to 2147483647"
    assert response.json() == {"error": error}


def test_what_is_used_is_pinned(client, kind):
    kind.post(client, "install")
    kind.rewrite(4)

    responses = [kind.post(client, "pin") for _ in range(2)]

    for response in responses:
        assert response.status_code == 200
        assert response.json() == {
            "message": f"{kind.label} pinned",
            "slug": kind.slug,
            "number": 3,
            "digest": kind.digest(3),
        }
    assert kind.installed() == (kind.digest(3), 3, 3)


def test_another_version_is_pinned(client, kind):
    kind.post(client, "install")

    response = kind.post(client, "pin", version=1)

    assert (response.status_code, response.json()["number"]) == (200, 1)
    assert kind.installed() == (kind.digest(1), 1, 1)


def test_a_text_from_before_the_first_version_cannot_be_pinned(client, kind):
    kind.post(client, "install")
    kind.Install.objects.update(installed_digest="sha256:older", number=None)

    response = kind.post(client, "pin")

    assert (response.status_code, response.json()) == (404, {"error": "Version not found"})
    assert kind.post(client, "pin", version=2).status_code == 200


def test_of_two_versions_with_one_digest_the_used_one_is_pinned(client, kind):
    kind.rewrite(1)
    assert kind.digest(4) == kind.digest(1) or kind.name == "skill"
    kind.post(client, "install", version=1)
    kind.post(client, "unpin")

    assert kind.post(client, "pin").json()["number"] == 1


def test_what_is_unpinned_is_the_newest_again(client, kind):
    kind.post(client, "install", version=1)

    responses = [kind.post(client, "unpin") for _ in range(2)]

    for response in responses:
        assert response.status_code == 200
        assert response.json() == {"message": f"{kind.label} unpinned", "slug": kind.slug}
    assert kind.installed() == (kind.digest(1), 1, None)
    assert kind.own(client)["number"] == 3


def test_an_update_keeps_a_pin_at_the_newest(client, kind):
    kind.post(client, "install", version=1)

    response = kind.post(client, "update")

    assert response.status_code == 200
    assert response.json() == {
        "message": "Updated",
        "slug": kind.slug,
        "digest": kind.digest(3),
        "previousDigest": kind.digest(1),
    }
    assert kind.installed() == (kind.digest(3), 3, 3)


def test_an_update_to_a_version_pins_it(client, kind):
    kind.post(client, "install")

    response = kind.post(client, "update", version=2)

    assert response.json()["digest"] == kind.digest(2)
    assert kind.installed() == (kind.digest(2), 2, 2)


@pytest.mark.parametrize("action", ["pin", "unpin", "update"])
def test_what_is_not_had_or_withdrawn_is_not_found(client, kind, action):
    response = kind.post(client, action)
    error = {"error": f"{kind.label} not installed"}
    assert (response.status_code, response.json()) == (404, error)

    kind.post(client, "install", version=1)
    kind.entry.withdraw()

    response = kind.post(client, action)
    assert (response.status_code, response.json()) == (404, {"error": f"{kind.label} not found"})
    assert kind.installed() == (kind.digest(1), 1, 1)


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
    """What the manifest holds of the entry."""
    manifest = client.get(f"{ME}/manifest").json()
    if kind.name == "persona":
        return manifest["activePersona"]
    return manifest["skills"][0] if manifest["skills"] else None


def test_the_manifest_has_the_pinned_text(client, kind):
    active = {"setActive": True} if kind.name == "persona" else {}
    kind.post(client, "install", version=2, **active)
    etag = client.get(f"{ME}/manifest")["ETag"]

    row = given(client, kind)
    shown = ("content", "title", "version", "digest", "number", "pinned", "updateAvailable")
    assert [row[name] for name in shown] == [
        *(text(2), "Title 2", "2.0", kind.digest(2), 2, True, True)
    ]
    assert row["latest"] == {"number": 3, "version": "3.0", "digest": kind.digest(3)}

    kind.post(client, "unpin")
    assert client.get(f"{ME}/manifest")["ETag"] != etag
    row = given(client, kind)
    assert [row[name] for name in shown] == [
        *(text(3), "Title 3", "3.0", kind.digest(3), 3, False, True)
    ]


def test_a_recalled_text_that_is_pinned_is_not_in_the_manifest(client, kind):
    active = {"setActive": True} if kind.name == "persona" else {}
    kind.post(client, "install", version=2, **active)

    kind.recall(2)

    assert given(client, kind) is None
    kind.post(client, "unpin")
    assert given(client, kind)["number"] == 3


def test_the_profile_tells_of_no_update_of_what_is_pinned(client, kind):
    kind.post(client, "install", version=1)
    assert client.get(ME).json()["updates"] == []

    kind.post(client, "unpin")

    [update] = client.get(ME).json()["updates"]
    assert (update["slug"], update["digest"]) == (kind.slug, kind.digest(3))


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


def test_of_a_bundle_only_what_the_agent_pinned_itself_is_pinned(client):
    skill, other = Kind("skill"), SkillFactory(slug="csv")
    PersonaFactory(slug="archivist", skills=[skill.entry, other])
    client.post(f"{ME}/personas/install", {"slug": "archivist", "setActive": True})
    skill.post(client, "install", version=1)

    rows = {row["slug"]: row for row in client.get(f"{ME}/manifest").json()["skills"]}

    assert (rows["pdf-tables"]["number"], rows["pdf-tables"]["pinned"]) == (1, True)
    assert rows["pdf-tables"]["via"] == ["install", "persona"]
    assert (rows["csv"]["number"], rows["csv"]["pinned"]) == (1, False)
