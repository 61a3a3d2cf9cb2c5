"""docs/agents/: the commands work as printed, and the responses are those that it prints."""

import json
import re

import pytest

from agents.models import Agent
from demo.postgres import CHECKOUT
from tests.api.versions import rewrite
from tests.factories import SkillFactory

VERSIONS = CHECKOUT / "docs" / "agents" / "versions.md"
BLOCK = re.compile(r"```(sh|json)\n(.*?)```", re.DOTALL)
TEXT = "---\nname: pdf-tables\ndescription: Extracts tables.\n---\n\n# PDF tables\n\n{}\n"
# What is another one each time, and what the page shortens.
CHANGING = {
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
    )
    rewrite(skill, TEXT.format("Use pdfplumber. For a scan, use ocrmypdf first."), version="1.7.0")
    return skill


def blocks(language):
    return [text for name, text in BLOCK.findall(VERSIONS.read_text()) if name == language]


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

    assert statuses == [201, 201, *[200] * 7]
    assert values_in(printed) == values_in("".join(blocks("json")))
    assert (tmp_path / "SKILL.md").read_text() == skill.file_text
    install = Agent.objects.get(name="Careful Agent").skill_installs.present().get()
    assert (install.number, install.pinned) == (1, None)


def test_they_run_in_the_demo_where_there_is_one_version(run):
    SkillFactory(slug="pdf-tables")

    printed, statuses = run()

    assert statuses == [201, 201, *[200] * 7]
    assert '"message":"Nothing to update"' in printed
