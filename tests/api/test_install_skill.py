"""POST /api/v1/agents/me/skills/install"""

from hashlib import sha256
from io import BytesIO
from zipfile import ZipFile

import pytest

from catalogue.models import Skill
from tests.api.installed import installed_skill_text
from tests.api.versions import rewrite, skill_with_versions
from tests.factories import AgentFactory, PersonaFactory, PersonaInstallFactory, SkillFactory

URL = "/api/v1/agents/me/skills/install"


@pytest.mark.contract("9.1")
def test_installing_returns_the_text_of_the_skill(client, agent):
    skill = SkillFactory(slug="pdf-tables")

    answer = client.post(URL, {"slug": "pdf-tables"})

    assert answer.status_code == 201
    assert answer.json() == {
        "message": "Skill installed",
        "skillId": skill.public_id,
        "slug": "pdf-tables",
        **installed_skill_text(skill),
    }
    assert agent.skill_installs.get().skill == skill


@pytest.mark.contract("9.4")
def test_it_counts_one_download_for_each_install(client, client_of):
    skill = SkillFactory(slug="pdf-tables", downloads=7)

    client.post(URL, {"slug": "pdf-tables"})
    client_of(AgentFactory()).post(URL, {"slug": "pdf-tables"})

    skill.refresh_from_db()
    assert skill.downloads == 9


@pytest.mark.contract("9.2")
@pytest.mark.parametrize(
    "runtime",
    [
        *("any text, even ünusual", " ", "\n\t", "Python 3.12 (CPython)", "\u202e\uffff"),
        *("mkt_agent_" + "0" * 38, "é" * 65, "r" * 65_000),
    ],
)
def test_it_keeps_the_runtime_as_it_came_whatever_it_is(client, agent, runtime):
    skill = SkillFactory(slug="pdf-tables")

    answer = client.post(URL, {"slug": "pdf-tables", "runtime": runtime})

    assert answer.status_code == 201
    assert answer.json() == {
        "message": "Skill installed",
        "skillId": skill.public_id,
        "slug": "pdf-tables",
        **installed_skill_text(skill),
    }
    assert client.get("/api/v1/agents/me").json()["skills"][0]["runtime"] == runtime


@pytest.mark.contract("2.6")
def test_a_null_runtime_is_an_absent_one(client, agent):
    SkillFactory(slug="pdf-tables")

    assert client.post(URL, {"slug": "pdf-tables", "runtime": None}).status_code == 201
    assert agent.skill_installs.get().runtime == ""


@pytest.mark.contract("9.3")
def test_installing_an_unknown_skill_is_not_found(client, agent):
    answer = client.post(URL, {"slug": "no-such-skill"})

    assert answer.status_code == 404
    assert answer.json() == {"error": "Skill not found"}
    assert not agent.skill_installs.exists()


@pytest.mark.contract("9.3")
@pytest.mark.parametrize("status", ["draft", "withdrawn"])
def test_an_unpublished_skill_is_not_found(client, status):
    skill = SkillFactory(slug="pdf-tables", status=status)

    answer = client.post(URL, {"slug": "pdf-tables"})

    assert answer.status_code == 404
    assert answer.json() == {"error": "Skill not found"}
    skill.refresh_from_db()
    assert skill.downloads == 0


@pytest.mark.contract("9.8")
@pytest.mark.parametrize("status", ["draft", "withdrawn"])
def test_an_installed_skill_is_a_conflict_even_once_it_is_not_published(client, agent, status):
    skill = SkillFactory(slug="pdf-tables")
    client.post(URL, {"slug": "pdf-tables"})
    Skill.objects.update(status=status)

    answer = client.post(URL, {"slug": "pdf-tables"})

    assert answer.status_code == 409
    assert answer.json() == {"error": "Skill already installed"}
    skill.refresh_from_db()
    assert skill.downloads == agent.skill_installs.count() == 1


@pytest.mark.contract("9.3")
@pytest.mark.parametrize("slug", ["PDF-Tables", "pdf tables", "../pdf-tables", "é", "a" * 5000])
def test_a_slug_that_cannot_exist_is_not_found(client, slug):
    SkillFactory(slug="pdf-tables")

    answer = client.post(URL, {"slug": slug})

    assert answer.status_code == 404
    assert answer.json() == {"error": "Skill not found"}


@pytest.mark.contract("9.3")
def test_a_second_install_is_a_conflict_and_counts_nothing(client, agent):
    skill = SkillFactory(slug="pdf-tables")
    client.post(URL, {"slug": "pdf-tables"})

    answer = client.post(URL, {"slug": "pdf-tables"})

    assert answer.status_code == 409
    assert answer.json() == {"error": "Skill already installed"}
    skill.refresh_from_db()
    assert skill.downloads == agent.skill_installs.count() == 1


@pytest.mark.contract("9.9")
def test_a_skill_that_an_installed_persona_bundles_can_be_installed_by_itself(client, agent):
    skill = SkillFactory(slug="pdf-tables")
    PersonaInstallFactory(agent=agent, persona=PersonaFactory(skills=[skill]))

    assert client.post(URL, {"slug": "pdf-tables"}).status_code == 201


@pytest.mark.contract("2.4")
def test_unknown_fields_are_ignored(client):
    SkillFactory(slug="pdf-tables")

    assert client.post(URL, {"slug": "pdf-tables", "colour": [1, {}]}).status_code == 201


@pytest.mark.contract("1.2")
def test_the_path_answers_with_a_slash_at_its_end(client):
    SkillFactory(slug="pdf-tables")

    assert client.post(URL + "/", {"slug": "pdf-tables"}).status_code == 201


@pytest.mark.contract("9.11")
def test_the_url_of_an_install_has_the_installed_bytes(client):
    skill = SkillFactory(slug="pdf-tables")

    install = client.post(URL, {"slug": "pdf-tables"}).json()
    rewrite(skill, "Another text.")

    content = client.get(install["url"]).content
    assert f"sha256:{sha256(content).hexdigest()}" == install["digest"]


@pytest.mark.contract("9.11")
def test_a_skill_with_files_is_an_archive(client):
    skill = skill_with_versions()

    response = client.post(URL, {"slug": "pdf-tables", "version": 1})

    assert response.status_code == 201
    assert response.json() == {
        "message": "Skill installed",
        "skillId": skill.public_id,
        "slug": "pdf-tables",
        **installed_skill_text(skill, number=1, name="archive.zip"),
    }
    archive = client.get(response.json()["url"])
    assert archive.status_code == 200
    assert archive["ETag"] == f'"{response.json()["digest"]}"'
    names = ZipFile(BytesIO(b"".join(archive))).namelist()
    assert names == ["SKILL.md", "scripts/run.py"]
