"""How agents learn that staff recalled a version that they have (contract 25.12)."""

import pytest

from tests.api.versioned_kinds import ME, Kind
from tests.factories import PersonaFactory, PersonaInstallFactory, SkillFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["skill", "persona"])
def kind(request):
    return Kind(request.param)


def advisories(client):
    """`[(slug, number, reason)]` of the profile, which equal those of the manifest."""
    profile = client.get(ME).json()
    assert profile["advisories"] == client.get(f"{ME}/manifest").json()["advisories"]
    return [(row["slug"], row["number"], row["reason"]) for row in profile["advisories"]]


@pytest.mark.contract("25.12")
@pytest.mark.parametrize("is_pinned", [True, False])
def test_an_advisory_lasts_until_the_agent_has_another_text(client, kind, is_pinned, alone):
    kind.post(client, "install", version=1)
    if not is_pinned:
        kind.post(client, "unpin")
    assert advisories(client) == []
    version = kind.entry.versions.get(number=1)

    version.recall("Unsafe.")

    assert advisories(client) == [(kind.slug, 1, "Unsafe.")]
    for action, body in (("update", {"version": 2}), ("pin", {"version": 2}), ("uninstall", {})):
        with alone(action):
            assert kind.post(client, action, **body).status_code == 200
            assert advisories(client) == []
    version.lift_recall()
    assert advisories(client) == []


def test_unpinning_alone_does_not_end_it(client, kind):
    kind.post(client, "install", version=1)
    kind.entry.versions.get(number=1).recall("Unsafe.")

    kind.post(client, "unpin")

    assert advisories(client) == [(kind.slug, 1, "Unsafe.")]


@pytest.mark.contract("25.12")
@pytest.mark.parametrize("number", [1, 4])
def test_the_advisory_names_the_installed_number_of_a_text(client, kind, number):
    kind.entry.versions.get(number=1).restore()
    kind.entry.refresh_from_db()
    kind.rewrite(5)
    kind.post(client, "install", version=number)

    kind.entry.versions.get(number=1).recall("Unsafe.")

    assert advisories(client) == [(kind.slug, number, "Unsafe.")]


def test_a_text_from_before_the_first_version_has_the_newest_number(client, kind):
    kind.entry.versions.get(number=1).restore()
    kind.entry.refresh_from_db()
    kind.rewrite(5)
    kind.post(client, "install", version=1)
    kind.Install.objects.update(number=None, pinned=None)

    kind.entry.versions.get(number=1).recall("Unsafe.")

    assert advisories(client) == [(kind.slug, 4, "Unsafe.")]


def test_the_entry_has_an_advisory_of_its_own(client, kind):
    kind.post(client, "install", version=1)
    kind.entry.versions.get(number=1).recall("Unsafe.")

    kind.entry.refresh_from_db()
    kind.entry.recall("All of it.")

    assert advisories(client) == [(kind.slug, None, "All of it."), (kind.slug, 1, "Unsafe.")]


def test_agents_with_other_versions_are_not_told(client, kind):
    kind.post(client, "install", version=2)
    other = PersonaFactory() if kind.name == "persona" else SkillFactory()

    kind.entry.versions.get(number=1).recall("Unsafe.")
    other.recall("Unused.")

    assert advisories(client) == []


def test_a_skill_that_only_a_persona_brings_is_the_newest(client, agent):
    kind = Kind("skill")
    PersonaInstallFactory(agent=agent, persona__skills=[kind.entry], is_active=True)

    kind.entry.versions.get(number=1).recall("Unsafe.")

    assert advisories(client) == []
