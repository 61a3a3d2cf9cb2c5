"""How the pages of entries, the start page and /skill.md show git (contract 27.12)."""

import html
import json
import re
import shlex

import pytest
from django.core.management import call_command

from tests.factories import PersonaFactory, SkillFactory

TAB = re.compile(r'<details name="install".*?><summary>(.*?)</summary>(.*?)</details>', re.DOTALL)
COMMAND = re.compile(r'<pre tabindex="0"><code>(.*?)</code></pre>', re.DOTALL)
CATALOGUE = "http://testserver/git/catalogue.git"


def tabs_of(client, path):
    """The commands of each tab."""
    text = client.get(path).content.decode()
    return {
        name: html.unescape("\n".join(COMMAND.findall(content)))
        for name, content in TAB.findall(text)
    }


@pytest.mark.contract("27.12")
def test_a_skill_has_a_tab_for_each_way(anyone):
    SkillFactory(slug="pdf-tables")

    tabs = tabs_of(anyone, "/skills/pdf-tables")

    assert list(tabs) == [
        "Claude Code",
        "Codex",
        "Cursor",
        "VS Code",
        "git",
        "npx",
        "MCP",
        "HTTP",
        "Console",
    ]
    assert tabs["Claude Code"].splitlines() == [
        f"claude plugin marketplace add {CATALOGUE}",
        "claude plugin install pdf-tables@agent-marketplace",
    ]
    assert tabs["Codex"].splitlines() == [
        f"codex plugin marketplace add {CATALOGUE}",
        "codex plugin add pdf-tables@agent-marketplace",
    ]
    assert tabs["git"] == "git clone http://testserver/git/skills/pdf-tables.git"
    assert tabs["npx"] == "npx skills add http://testserver/git/skills/pdf-tables.git"
    assert tabs["Cursor"].startswith(f"{tabs['npx']} --agent cursor\n")
    assert tabs["VS Code"].startswith(f"{tabs['npx']} --agent github-copilot\n")
    header = '--header "Authorization: Bearer $TOKEN"'
    assert tabs["MCP"].splitlines() == [
        f"claude mcp add --transport http marketplace http://testserver/mcp {header}",
        "codex mcp add marketplace --url http://testserver/mcp --bearer-token-env-var TOKEN",
        'install_skill {"slug": "pdf-tables"}',
    ]


def test_editors_get_the_tools_by_json(anyone):
    SkillFactory(slug="pdf-tables")

    tabs = tabs_of(anyone, "/skills/pdf-tables")

    *_, cursor = tabs["Cursor"].splitlines()
    *_, code = tabs["VS Code"].splitlines()
    assert json.loads(cursor) == {
        "mcpServers": {
            "marketplace": {
                "url": "http://testserver/mcp",
                "headers": {"Authorization": "Bearer ${env:TOKEN}"},
            }
        }
    }
    assert json.loads(shlex.split(code)[2]) == {
        "name": "marketplace",
        "type": "http",
        "url": "http://testserver/mcp",
        "headers": {"Authorization": "Bearer $TOKEN"},
    }


@pytest.mark.contract("27.12")
def test_a_persona_has_the_name_of_its_plugin(anyone):
    SkillFactory(slug="archivist")
    PersonaFactory(slug="archivist")

    tabs = tabs_of(anyone, "/personas/archivist")

    assert list(tabs) == [
        "Claude Code",
        "Codex",
        "Cursor",
        "VS Code",
        "git",
        "MCP",
        "HTTP",
        "Console",
    ]
    assert "claude plugin install archivist-persona@agent-marketplace" in tabs["Claude Code"]
    assert tabs["git"] == "git clone http://testserver/git/personas/archivist.git"


@pytest.mark.contract("27.12")
def test_a_page_shows_a_new_name_at_once(anyone):
    SkillFactory(slug="pdf-tables")
    before = tabs_of(anyone, "/skills/pdf-tables")

    call_command("name_marketplace", "acme")

    after = tabs_of(anyone, "/skills/pdf-tables")
    assert "pdf-tables@agent-marketplace" in before["Claude Code"]
    assert "pdf-tables@acme" in after["Claude Code"]


@pytest.mark.contract("27.12")
def test_commands_name_other_repositories_if_the_catalogue_has_none(anyone, settings):
    settings.GIT_MAX_ENTRIES = 1
    SkillFactory(slug="pdf-tables")
    PersonaFactory(slug="archivist")

    skill, persona = tabs_of(anyone, "/skills/pdf-tables"), tabs_of(anyone, "/personas/archivist")

    assert skill["Claude Code"].splitlines() == [
        "claude plugin marketplace add http://x:$CLONE@testserver/git/me.git",
        "claude plugin install everything@agent-marketplace-me",
    ]
    assert persona["Codex"].splitlines() == [
        "codex plugin marketplace add http://testserver/git/personas/archivist.git",
        "codex plugin add archivist@agent-marketplace-archivist",
    ]
    assert CATALOGUE not in anyone.get("/").content.decode()


@pytest.mark.contract("27.12")
def test_the_start_page_begins_with_claude_code_and_codex(anyone):
    SkillFactory()

    text = anyone.get("/").content.decode()

    [first, second, *_] = COMMAND.findall(text)
    assert first == f"claude plugin marketplace add {CATALOGUE}"
    assert second == f"codex plugin marketplace add {CATALOGUE}"


@pytest.mark.contract("27.12")
def test_the_guide_names_the_repositories(anyone):
    text = anyone.get("/guide.md?raw").content.decode()

    assert "git clone -q http://x:$CLONE@testserver/git/me.git" in text


@pytest.mark.contract("27.12")
def test_without_git_nothing_names_it(anyone, settings):
    anyone.get("/")  # Loads the URLs, which other tests need with git.
    settings.GIT = False
    SkillFactory(slug="pdf-tables")
    PersonaFactory(slug="archivist")

    tabs = tabs_of(anyone, "/skills/pdf-tables")

    assert list(tabs) == ["Cursor", "VS Code", "npx", "MCP", "HTTP", "Console"]
    assert tabs["npx"] == "npx skills add http://testserver/skills/pdf-tables"
    for path in (
        "/",
        "/skills/pdf-tables",
        "/personas/archivist",
        "/skill.md?raw",
        "/guide.md?raw",
        "/llms.txt",
    ):
        text = anyone.get(path).content.decode()
        assert "/git/" not in text
        assert "clone" not in text
