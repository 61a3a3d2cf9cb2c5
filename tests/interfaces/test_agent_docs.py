"""docs/agents/: the commands work as printed, and the responses are those that the pages print."""

import json
import re

import pytest

from agents.models import Agent
from demo.postgres import CHECKOUT
from interfaces.openapi.document import document
from tests.api.versions import rewrite
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

PAGES = CHECKOUT / "docs" / "agents"
INSTALL = PAGES / "install-and-update.md"
# Their commands are run by tests of their own.
OTHERS = {INSTALL.name, "git.md", "clients.md"}
REQUEST = re.compile(r"(?:^|=\$\()(?:curl|as_agent) ", re.MULTILINE)
BLOCK = re.compile(r"```(sh|json)\n(.*?)```", re.DOTALL)
TEXT = "---\nname: pdf-tables\ndescription: Extracts tables.\n---\n\n# PDF tables\n\n{}\n"
# What is another one each time, and what the page shortens.
CHANGING = {
    r"http://127\.0\.0\.1:\d+": "http://…",
    r"skill_\w+": "skill_…",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z": "2026-…",
    r"(sha256:[0-9a-f]{6})[0-9a-f]{58}": r"\1…",
}


@pytest.fixture
def skill(db):
    skill = SkillFactory(
        slug="pdf-tables",
        title="PDF Tables",
        description="Extracts tables.",
        version="1.6.0",
        content=TEXT.format("Use pdfplumber."),
        files={"scripts/extract.py": b"print(1)\n"},
    )
    rewrite(skill, TEXT.format("Use pdfplumber. For a scan, use ocrmypdf first."), version="1.7.0")
    return skill


def blocks(language, page=INSTALL):
    return [text for name, text in BLOCK.findall(page.read_text()) if name == language]


def values_in(text):
    """The JSON values that follow each other in a text, without what changes."""
    for pattern, stand_in in CHANGING.items():
        text = re.sub(pattern, stand_in, text)
    decoder, values = json.JSONDecoder(), []
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:]
    return values


@pytest.fixture
def run(live_server_of, shell):
    script = "\n".join(blocks("sh"))
    address = f"http://127.0.0.1:{live_server_of().port}"
    return lambda: shell(script.replace("http://127.0.0.1:8000", address))


def test_pinning_and_updating_run_as_printed(run, skill, tmp_path):
    printed, statuses = run()

    assert statuses == [201, 201, *[200] * 9]
    # The manifest is described, not printed.
    values = [value for value in values_in(printed) if "activePersona" not in value]
    assert values == values_in("".join(blocks("json")))
    assert (tmp_path / "SKILL.md").read_text() == skill.file_text
    assert not Agent.objects.get(name="Careful Agent").skill_installs.present().exists()


def test_they_run_in_the_demo_where_there_is_one_version(run):
    SkillFactory(slug="pdf-tables")

    printed, statuses = run()

    assert statuses == [201, 201, *[200] * 9]
    assert '"message":"Nothing to update"' in printed


@pytest.fixture
def demo(db):
    """What the pages name of the demo's catalogue."""
    skill = SkillFactory(slug="pdf-tables", title="PDF Tables", category="data")
    archivist = PersonaFactory(slug="archivist", skills=[skill])
    PersonaFactory(slug="technical-writer")
    review(AgentFactory(handle="other"), archivist, 5, "Keeps order.")


def pages_with_commands():
    pages = [page for page in sorted(PAGES.glob("*.md")) if page.name not in OTHERS]
    return [page for page in pages if blocks("sh", page)]


@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize("page", pages_with_commands(), ids=lambda page: page.name)
def test_the_commands_of_agent_docs_run_as_printed(live_server_of, shell, page):
    script = "\n".join(blocks("sh", page))
    address = f"http://127.0.0.1:{live_server_of().port}"

    _, statuses = shell(script.replace("http://127.0.0.1:8000", address))

    refused = [status for status in statuses if status >= 400]
    assert refused == ([404] if page.name == "errors.md" else [])
    assert len(statuses) == len(REQUEST.findall(script))


@pytest.mark.usefixtures("demo")
def test_the_quickstart_prints_what_an_install_returns(live_server_of, shell):
    page = PAGES / "quickstart.md"
    address = f"http://127.0.0.1:{live_server_of().port}"

    printed, _ = shell("\n".join(blocks("sh", page)).replace("http://127.0.0.1:8000", address))

    [example] = values_in("".join(blocks("json", page)))
    installed = next(value for value in values_in(printed) if value.get("number") == 1)
    assert installed.keys() == example.keys()


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.name)
def test_a_page_answers_its_question_before_anything_else(page):
    title, blank, first, *_ = page.read_text().splitlines()

    assert title.startswith("# ")
    assert blank == ""
    assert re.match(r"[A-Z`*]", first)


def test_the_page_of_endpoints_has_every_operation_with_its_scope():
    rows = re.findall(r"^\| (`.+?) \| (.+?) \|", (PAGES / "endpoints.md").read_text(), re.MULTILINE)
    listed = {
        (*operation.split(), scope)
        for operations, scope in rows
        for operation in re.findall("`([A-Z]+ /api/.*?)`", operations)
    }
    described = {
        (method.upper(), path, scopes_of(operation))
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    }

    assert listed == described | {("GET", "/api/v1/openapi.json", "none")}


def scopes_of(operation):
    return (
        ", ".join(scope for way in operation.get("security", []) for scope in way["bearer"])
        or "none"
    )
