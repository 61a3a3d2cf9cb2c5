"""The file of a persona in its plugin is its author's, with the smallest repair (contract 27.4)."""

import pytest

from tests.factories import PersonaFactory
from tests.imports import import_personas, write
from tests.interfaces.git.conftest import address

LONG = "a" * 70
CUT = f"{'a' * 57}-6bd5e5"
NAMED = "name: reader\ndescription: Reads.\n"
FIELDS = (
    "tools: Read, Grep # no more\ndisallowedTools:\n  - Bash\npermissionMode: plan\nmodel: haiku\n"
    "color: 'blue'\nmcpServers: [github]\nhooks:\n  Stop:\n    - hooks: [{type: command}]\n"
)


@pytest.fixture
def agent_file(live_server_of, git, tmp_path, transactional_db):
    """Imports a file as the persona reader, and reads what its plugin has, as bytes."""

    def agent_file(data):
        write(tmp_path / "in" / "reader.md", data)
        outcome = import_personas(tmp_path / "in")
        assert outcome.status == 0, outcome.lines
        git("clone", address(live_server_of(), "personas/reader"))
        return git.files("reader")["plugins/reader/agents/reader.md"]

    return agent_file


@pytest.mark.contract("27.4")
@pytest.mark.parametrize(
    "text",
    [
        f"---\n{NAMED}{FIELDS}---\n\nYou read.\n",
        f"---\n{FIELDS}{NAMED}---\nYou read.",
        f"---\n{NAMED}{FIELDS}---\n\nYou\nread.\n\n".replace("\n", "\r\n"),
        f"\ufeff---\n{NAMED}{FIELDS}---  \n\n\nYou read: ---\n\n---\n",
        '---\nname: "reader"\ndescription: >\n  Reads:\n  all.\nmodel: x\n---\n\nYou.\n',
        "---\nname: reader\ndescription: 'Reads: all.'\n---\n\nYou.\n\n",
    ],
)
def test_it_is_the_file_byte_for_byte(agent_file, text):
    assert agent_file(text) == text.encode()


@pytest.mark.contract("27.4")
@pytest.mark.parametrize(
    ("lines", "repaired"),
    [
        (f"name: Reader\ndescription: R.\n{FIELDS}", f"name: reader\ndescription: R.\n{FIELDS}"),
        (f"description: R.\n{FIELDS}", f"name: reader\ndescription: R.\n{FIELDS}"),
        (f"name: reader\n{FIELDS}", f"name: reader\ndescription: Reader\n{FIELDS}"),
    ],
)
def test_only_what_clients_need_is_repaired(agent_file, lines, repaired):
    text = agent_file(f"---\n{lines}---\n\nYou read.\n")

    assert text.decode() == f"---\n{repaired}---\n\nYou read.\n"


@pytest.mark.contract("27.4")
def test_a_persona_without_frontmatter_is_written_from_its_fields(
    live_server_of, git, transactional_db
):
    PersonaFactory(slug="reader", description="Reads: all.", content="You.")

    git("clone", address(live_server_of(), "personas/reader"))

    text = git.files("reader")["plugins/reader/agents/reader.md"]
    assert text == b'---\nname: "reader"\ndescription: "Reads: all."\n---\n\nYou.'


@pytest.mark.contract("27.5")
def test_a_long_name_is_cut(live_server_of, git, transactional_db):
    PersonaFactory(slug=LONG, frontmatter=f"---\nname: {LONG}\ntools: Read\n---\n\n")

    git("clone", address(live_server_of(), f"personas/{LONG}"), "persona")

    text = git.files("persona")[f"plugins/{CUT}/agents/{LONG}.md"].decode()
    assert text.startswith(f"---\nname: {CUT}\n")
    assert "tools: Read\n" in text


@pytest.mark.contract("27.7")
def test_other_tools_are_another_version_of_the_plugin(agent_file, live_server_of, git, tmp_path):
    agent_file(f"---\n{NAMED}tools: Read\n---\n\nYou read.\n")
    text = f"---\n{NAMED}tools: Bash\n---\n\nYou read.\n"
    write(tmp_path / "in" / "reader.md", text)
    import_personas(tmp_path / "in")

    git("pull", "--ff-only", within="reader")

    files = git.files("reader")
    assert files["plugins/reader/agents/reader.md"] == text.encode()
    assert b'"version": "2.0.0"' in files["plugins/reader/plugin.json"]
