"""Staff deprecate an entry: everybody reads it, and it stays installable (contract 18.6)."""

import pytest
from django.db import IntegrityError, transaction

from catalogue.models import Persona, Skill
from tests.factories import (
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)

ME = "/api/v1/agents/me"
OLD = {"message": "It reads scans only.", "replacedBy": None}
REPLACED = OLD | {"replacedBy": "successor"}


@pytest.fixture(params=[SkillFactory, PersonaFactory], ids=["skill", "persona"])
def entry(request, db):
    return request.param(slug="old-one")


@pytest.fixture
def successor(entry):
    factory = SkillFactory if isinstance(entry, Skill) else PersonaFactory
    return factory(slug="successor")


@pytest.fixture
def path(entry):
    return "skills" if isinstance(entry, Skill) else "personas"


def deprecation_in(anyone, path):
    """The deprecation in list, search and detail, which are equal."""
    listed = {row["slug"]: row for row in anyone.get(f"/api/v1/{path}").json()["results"]}
    [result] = anyone.get(f"/api/v1/{path}?q=old-one&limit=1").json()["results"]
    detail = anyone.get(f"/api/v1/{path}/old-one").json()
    assert listed["old-one"]["deprecation"] == result["deprecation"] == detail["deprecation"]
    return detail["deprecation"]


def test_an_entry_is_not_deprecated_at_first(anyone, entry, path):
    assert deprecation_in(anyone, path) is None


@pytest.mark.contract("18.6")
def test_a_deprecated_one_says_why(anyone, entry, path):
    entry.deprecate("It reads scans only.")

    assert deprecation_in(anyone, path) == OLD


@pytest.mark.contract("18.7")
def test_it_names_its_successor_as_long_as_that_is_published(anyone, entry, successor, path):
    entry.deprecate("It reads scans only.", successor)
    assert deprecation_in(anyone, path) == REPLACED

    successor.withdraw()
    assert deprecation_in(anyone, path) == OLD
    successor.publish()
    assert deprecation_in(anyone, path) == REPLACED
    successor.redraft()
    assert deprecation_in(anyone, path) == OLD


def test_a_successor_may_be_called_otherwise(anyone, entry, successor, path):
    entry.deprecate("It reads scans only.", successor)

    successor.slug = "newer"
    successor.save()

    assert deprecation_in(anyone, path) == OLD | {"replacedBy": "newer"}


def test_a_deprecation_ends(anyone, entry, successor, path):
    entry.deprecate("It reads scans only.", successor)

    entry.end_deprecation()

    assert deprecation_in(anyone, path) is None
    entry.refresh_from_db()
    assert entry.successor is None


@pytest.mark.contract("18.7")
@pytest.mark.parametrize("kind", ["skill", "persona"])
@pytest.mark.django_db(transaction=True)
def test_a_cached_response_notices_that_the_successor_is_gone(anyone, kind):
    factory = {"skill": SkillFactory, "persona": PersonaFactory}[kind]
    successor = factory(slug="successor")
    factory(slug="old-one").deprecate("It reads scans only.", successor)
    urls = [f"/api/v1/{kind}s", f"/api/v1/{kind}s/old-one", f"/{kind}s", f"/{kind}s/old-one"]
    before = [anyone.get(url).content for url in urls]

    type(successor).objects.filter(pk=successor.pk).update(status="withdrawn")

    after = [anyone.get(url).content for url in urls]
    assert all(old != new for old, new in zip(before, after, strict=True))
    assert b"/successor" not in after[3]


@pytest.mark.contract("18.6")
def test_a_deprecated_entry_can_be_installed(client, entry, path):
    entry.deprecate("It reads scans only.")

    response = client.post(f"{ME}/{path}/install", {"slug": "old-one"})

    assert response.status_code == 201


@pytest.mark.contract("18.6")
def test_agents_with_the_skill_read_its_deprecation(client, agent):
    skill = SkillInstallFactory(agent=agent, skill__slug="old-one").skill
    SkillInstallFactory(agent=agent, skill__slug="other")
    skill.deprecate("It reads scans only.", SkillFactory(slug="successor"))

    for url in (f"{ME}", f"{ME}/manifest"):
        rows = {row["slug"]: row["deprecation"] for row in client.get(url).json()["skills"]}
        assert rows == {"old-one": REPLACED, "other": None}
    rows = client.get(f"{ME}/skills").json()["results"]
    assert [(row["slug"], row["deprecation"]) for row in rows] == [
        ("other", None),
        ("old-one", REPLACED),
    ]


@pytest.mark.contract("18.6")
def test_agents_with_the_persona_read_its_deprecation(client, agent):
    persona = PersonaInstallFactory(agent=agent, persona__slug="old-one", is_active=True).persona
    persona.deprecate("It reads scans only.", PersonaFactory(slug="successor"))

    [row] = client.get(ME).json()["personas"]
    [own] = client.get(f"{ME}/personas").json()["results"]
    active = client.get(f"{ME}/manifest").json()["activePersona"]

    assert row["deprecation"] == own["deprecation"] == active["deprecation"] == REPLACED


@pytest.mark.contract("18.6")
def test_a_manifest_says_it_of_a_bundled_skill(client, agent):
    skill = SkillFactory(slug="old-one")
    PersonaInstallFactory(agent=agent, persona=PersonaFactory(skills=[skill]), is_active=True)
    etag = client.get(f"{ME}/manifest")["ETag"]

    skill.deprecate("It reads scans only.")

    response = client.get(f"{ME}/manifest", headers={"If-None-Match": etag})
    assert response.status_code == 200
    assert response.json()["skills"][0]["deprecation"] == OLD


def test_a_manifest_notices_that_the_successor_is_gone(client, agent):
    successor = SkillFactory(slug="successor")
    skill = SkillInstallFactory(agent=agent, skill__slug="old-one").skill
    skill.deprecate("It reads scans only.", successor)
    etag = client.get(f"{ME}/manifest")["ETag"]

    successor.withdraw()

    response = client.get(f"{ME}/manifest", headers={"If-None-Match": etag})
    assert response.status_code == 200
    assert response.json()["skills"][0]["deprecation"] == OLD


@pytest.mark.contract("18.6")
def test_it_is_no_update_and_no_advisory(client, agent):
    skill = SkillInstallFactory(agent=agent, skill__slug="old-one").skill

    skill.deprecate("It reads scans only.")

    profile = client.get(ME).json()
    assert profile["updates"] == profile["advisories"] == []


@pytest.mark.contract("18.6")
def test_pages_show_it(anyone, entry, successor, path):
    entry.deprecate("It reads <b>scans</b> only.", successor)

    page = anyone.get(f"/{path}/old-one").content.decode()
    listed = anyone.get(f"/{path}").content.decode()

    assert "<b>Deprecated.</b> It reads &lt;b&gt;scans&lt;/b&gt; only." in page
    assert f'Use <a href="/{path}/successor">successor</a> instead.' in page
    assert listed.count(">deprecated<") == 1


def test_another_recall_names_another_successor(entry, successor):
    entry.recall("It deletes logs.", type(successor).objects.create(slug="first", content="Do it."))

    entry.recall("It deletes everything.", successor)

    entry.refresh_from_db()
    assert (entry.deprecation_message, entry.successor) == ("It deletes everything.", successor)
    entry.publish()
    assert (entry.deprecation_message, entry.successor) == ("", None)


@pytest.mark.parametrize("model", [Skill, Persona])
def test_the_database_refuses_a_successor_of_what_is_not_deprecated(db, model):
    factory = {Skill: SkillFactory, Persona: PersonaFactory}[model]
    entry, successor = factory(), factory()

    for values in (
        {"successor": successor},
        {"successor": entry, "deprecation_message": "Old."},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            model.objects.filter(pk=entry.pk).update(**values)
