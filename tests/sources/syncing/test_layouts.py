"""The places in a repository where skills and personas are found (contract 30.3)."""

import json

import pytest

from catalogue.models import Persona
from sources.models import sources
from tests.imports import persona, write
from tests.sources.syncing.conftest import published

SKILLS = {
    "skills at the root": ("pdf", "/"),
    "below skills/": ("skills/data/pdf", "skills/data/"),
    "in .claude/skills/": (".claude/skills/pdf", ".claude/skills/"),
    "in a plugin": ("plugins/office/skills/pdf", "plugins/*/skills/"),
}


@pytest.mark.contract("30.3")
@pytest.mark.parametrize(("path", "place"), SKILLS.values(), ids=SKILLS)
def test_skills_are_found(repository, path, place):
    repository.skill(path)

    source = repository.sync()

    assert published() == {"pdf": f"git:team:{path}/SKILL.md"}
    assert source.layouts == {f"skills in {place}": 1}
    assert (source.state, source.counts) == ("ok", {"published": 1, "findings": 0})


@pytest.mark.contract("30.3")
def test_the_repository_itself_may_be_a_skill(repository):
    repository.skill("", scripts_txt="1")

    source = repository.sync()

    assert published() == {"root-skill": "git:team:SKILL.md"}
    assert source.layouts == {"skills in /": 1}


PERSONAS = [
    *("agents/archivist.md", ".claude/agents/archivist.md", "personas/archivist.md"),
    *("agents/papers/archivist.md", "plugins/office/agents/archivist.md"),
    "tools/office/agents/archivist.md",
]


@pytest.mark.contract("30.3")
@pytest.mark.parametrize("path", PERSONAS)
def test_personas_are_found(repository, path):
    plugins = [{"name": "office", "source": "./tools/office"}, {"name": "o", "source": {"a": 1}}]
    write(
        repository.folder / ".claude-plugin/marketplace.json",
        json.dumps({"name": "team", "plugins": plugins}),
    )
    repository.persona(path)

    source = repository.sync(kind="both")

    assert published(Persona) == {"archivist": f"git:team:{path}"}
    place = path.removesuffix("archivist.md").replace("plugins/office", "plugins/*")
    assert source.layouts == {f"personas in {place}": 1}


@pytest.mark.contract("30.3")
def test_a_plugin_is_found_however_its_name_is_composed(repository):
    plugins = {"plugins": [{"name": "cafe", "source": "./cafe\u0301"}]}
    write(repository.folder / ".claude-plugin/marketplace.json", json.dumps(plugins))
    repository.persona("caf\u00e9/agents/archivist.md")

    repository.sync(kind="both")

    assert published(Persona) == {"archivist": "git:team:caf\u00e9/agents/archivist.md"}


@pytest.mark.contract("30.3")
def test_other_documents_are_no_personas(repository):
    for path in ("notes/archivist.md", "archivist.md", "agents/README.md"):
        repository.persona(path)
    repository.skill("agents")
    repository.persona("agents/helper.md")

    source = repository.sync(kind="personas")

    assert published(Persona) == {}
    assert source.layouts == {}


@pytest.mark.contract("30.3")
def test_a_folder_narrows_a_source(repository):
    repository.skill("skills/pdf")
    repository.skill("packages/csv")
    repository.persona("packages/roles/archivist.md")
    repository.persona("agents/other.md")

    source = repository.sync(kind="both", folder="packages")

    assert published() == {"csv": "git:team:packages/csv/SKILL.md"}
    assert published(Persona) == {"archivist": "git:team:packages/roles/archivist.md"}
    assert source.layouts == {"skills in packages/": 1, "personas in packages/roles/": 1}


@pytest.mark.contract("30.3")
def test_a_folder_in_a_skill_has_no_personas(repository):
    repository.skill("pdf")
    repository.persona("pdf/agents/helper.md")

    repository.sync(kind="personas", folder="pdf/agents")

    assert published(Persona) == {}


@pytest.mark.contract("30.3")
def test_a_copy_in_another_folder_is_no_second_entry(repository):
    repository.skill("skills/pdf")
    repository.skill(".claude/skills/pdf")

    source = repository.sync()

    assert published() == {"pdf": "git:team:skills/pdf/SKILL.md"}
    assert source.counts == {"published": 1, "copies": 1, "findings": 0}


@pytest.mark.contract("30.3")
@pytest.mark.parametrize("text", ["{", "[]", '{"plugins": 1}', '{"plugins": [1]}', "[" * 100_000])
def test_an_unreadable_marketplace_is_a_finding(repository, text):
    write(repository.folder / ".claude-plugin/marketplace.json", text)
    repository.skill("pdf")

    source = repository.sync()

    assert published() == {"pdf": "git:team:pdf/SKILL.md"}
    assert source.findings == [
        [".claude-plugin/marketplace.json", "It is no list of plugins, so it was not read."]
    ]


@pytest.mark.contract("30.3")
def test_plugins_outside_of_the_repository_are_ignored(repository):
    plugins = [{"source": source} for source in ("../x", "/etc", "https://x.example/y", "./", "\0")]
    write(
        repository.folder / ".claude-plugin/marketplace.json",
        json.dumps({"plugins": plugins, "metadata": {"pluginRoot": 3}}),
    )
    persona(repository.folder / "x/agents/archivist.md")

    source = repository.sync(kind="both")

    assert (published(Persona), source.findings) == ({}, [])


@pytest.mark.contract("30.3")
def test_a_folder_whose_skill_md_is_refused_has_no_personas(repository):
    repository.persona("agents/pdf/notes.md")
    repository.persona("agents/archivist.md")

    repository.sync(kind="both", findings=[("agents/pdf/SKILL.md", "A link.")])

    assert list(published(Persona)) == ["archivist"]


@pytest.mark.contract("30.3")
def test_files_in_many_places_are_counted_together(repository, monkeypatch):
    monkeypatch.setattr(sources, "MAX_LAYOUTS", 1)
    for path in ("skills/pdf", "skills/csv", "a/xml", "b/ini"):
        repository.skill(path)

    assert repository.sync().layouts == {"skills in skills/": 2, "elsewhere": 2}
