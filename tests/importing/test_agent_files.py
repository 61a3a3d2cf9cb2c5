"""import_personas keeps the frontmatter of a file."""

from hashlib import sha256

import pytest

from tests.imports import PERSONAS, import_personas, served, write

pytestmark = pytest.mark.django_db

READER = "---\nname: reader\ndescription: Reads.\ntools: Read, Grep\nmodel: haiku\n---\n\n"


def imported(tmp_path, data, name="reader.md"):
    write(tmp_path / name, data)
    outcome = import_personas(tmp_path)
    assert outcome.status == 0, outcome.lines
    return outcome


def detail(anyone, *lines, tmp_path, slug="reader"):
    imported(tmp_path, "\n".join(["---", f"name: {slug}", *lines, "---", "", "Read.", ""]))
    return served(anyone, slug, PERSONAS)


@pytest.mark.contract("8.12", "16.1", "23.11")
def test_frontmatter_and_prompt_are_the_file(anyone, tmp_path):
    text = f"{READER}You read.\n"

    imported(tmp_path, text)

    shown = served(anyone, "reader", PERSONAS)
    assert (shown["frontmatter"], shown["content"]) == (READER, "You read.\n")
    assert shown["tools"] == ["Read", "Grep"]
    assert shown["digest"] == f"sha256:{sha256(text.encode()).hexdigest()}"
    assert shown["contextTokens"] == 3
    version = served(anyone, "reader/versions/1", PERSONAS)
    names = "frontmatter", "content", "tools", "digest"
    assert [version[name] for name in names] == [shown[name] for name in names]


@pytest.mark.contract("23.11")
@pytest.mark.parametrize(
    ("head", "prompt"),
    [
        ("---\nmodel: x\n---\n", "No blank line, and no newline at the end."),
        ("---\nmodel: x # why\n---  \n\n\n\n", "Three.\n\n\n"),
        ("---\r\nmodel: x\r\n---\r\n\r\n", "Lines of Windows.\r\nTwo.\r\n"),
        ("---\nmodel: 'x'\n\n# a comment\n---\n\n", "---\n\nA rule.\n"),
        ("---\nmodel: x\n---\n", "model: x\n\nmodel: x"),
    ],
)
def test_every_character_of_the_file_is_kept(anyone, tmp_path, head, prompt):
    imported(tmp_path, head + prompt)

    shown = served(anyone, "reader", PERSONAS)
    assert (shown["frontmatter"], shown["content"]) == (head, prompt)


@pytest.mark.contract("23.11")
@pytest.mark.parametrize(
    "lines",
    [
        *([], ["title: 'Reader'", "tags: [a, b]"], ["metadata:", "  author: Ada"], ["tools:"]),
        *(["color: blue"], ["hooks:", "  PreToolUse:", "    - matcher: Bash"]),
        *(["", "# Never delete a file.", ""], ["license: MIT  # of the prompt"]),
    ],
)
def test_every_file_keeps_its_lines(anyone, tmp_path, lines):
    shown = detail(anyone, "description: Reads.", *lines, tmp_path=tmp_path)

    text = "\n".join(["---", "name: reader", "description: Reads.", *lines, "---", "", ""])
    assert (shown["frontmatter"], shown["content"]) == (text, "Read.\n")


@pytest.mark.contract("23.11")
def test_frontmatter_that_nothing_ends_gets_an_end(anyone, tmp_path):
    outcome = imported(tmp_path, "---\nname: reader\ndescription: x\ntools: Read\n\nYou read.\n")

    path = tmp_path / "reader.md"
    assert outcome.found("format") == [
        f"{path}, line 6: no line of --- ends the frontmatter above this line",
        f"{path}, line 6: served with a repair: frontmatter",
    ]
    shown = served(anyone, "reader", PERSONAS)
    assert shown["frontmatter"] == "---\nname: reader\ndescription: x\ntools: Read\n\n---\n"
    assert (shown["content"], shown["tools"]) == ("You read.\n", ["Read"])
    again = import_personas(tmp_path)
    assert again.lines == ["personas: 0 created, 0 updated, 1 unchanged, 0 refused"]


@pytest.mark.contract("8.22")
@pytest.mark.parametrize(
    ("lines", "tools"),
    [
        (["model: x"], None),
        (["tools: Read, Grep"], ["Read", "Grep"]),
        (["tools: Read Grep"], ["Read", "Grep"]),
        (["tools: [Read, 'Grep, Glob']"], ["Read", "Grep", "Glob"]),
        (["tools:", "  - Read", "  - Bash(git log, ls *)"], ["Read", "Bash(git log, ls *)"]),
        (["tools: mcp__github__get, Agent(a b)"], ["mcp__github__get", "Agent(a b)"]),
        (['tools: "*"'], None),
        (["tools: [Read, '*']"], None),
        *(([f"tools: {value}"], []) for value in ("", "null", "~", '""', "[]", "{Read: yes}")),
        (["tools: [[Read], Grep]"], ["Grep"]),
        (["metadata:", "  tools: Read"], None),
        (["Tools: Read"], ["Read"]),
        (["Tools: Bash", "tools: Read"], ["Read"]),
    ],
)
def test_tools_are_those_that_claude_code_reads(anyone, tmp_path, lines, tools):
    assert detail(anyone, *lines, tmp_path=tmp_path)["tools"] == tools


@pytest.mark.contract("8.13")
def test_a_priced_persona_shows_its_tools_and_not_its_lines(anyone, tmp_path):
    shown = detail(anyone, "tools: Read", "priceCents: 5", tmp_path=tmp_path)

    assert (shown["frontmatter"], shown["content"], shown["tools"]) == (None, None, ["Read"])


@pytest.mark.contract("25.1")
def test_other_tools_are_another_version_of_which_agents_are_told(client, tmp_path):
    imported(tmp_path, f"{READER}You read.\n")
    assert client.post("/api/v1/agents/me/personas/install", {"slug": "reader"}).status_code == 201
    before = served(client, "reader", PERSONAS)

    outcome = imported(tmp_path, f"{READER}You read.\n".replace("Grep", "Bash"))

    assert outcome.lines == ["personas: 0 created, 1 updated, 0 unchanged, 0 refused"]
    after = served(client, "reader", PERSONAS)
    assert (after["number"], after["tools"]) == (2, ["Read", "Bash"])
    [update] = client.get("/api/v1/agents/me").json()["updates"]
    assert (update["digest"], update["installedDigest"]) == (after["digest"], before["digest"])
    imported(tmp_path, "---\nname: reader\ndescription: Reads.\n---\n\nYou read.\n")
    assert served(client, "reader", PERSONAS)["tools"] is None


@pytest.mark.contract("23.4")
def test_importing_it_again_changes_nothing(tmp_path):
    imported(tmp_path, f"{READER}You read.\r\n\r\n")

    again = import_personas(tmp_path)

    assert again.lines == ["personas: 0 created, 0 updated, 1 unchanged, 0 refused"]


@pytest.mark.contract("13.4")
def test_the_manifest_has_what_its_digest_covers(client, tmp_path):
    imported(tmp_path, f"{READER}You read.\n")
    body = {"slug": "reader", "setActive": True}
    client.post("/api/v1/agents/me/personas/install", body)

    for pinned in (False, True):
        persona = client.get("/api/v1/agents/me/manifest").json()["activePersona"]
        text = persona["frontmatter"] + persona["content"]
        assert persona["digest"] == f"sha256:{sha256(text.encode()).hexdigest()}"
        assert (persona["tools"], persona["pinned"]) == (["Read", "Grep"], pinned)
        client.post("/api/v1/agents/me/personas/pin", {"slug": "reader", "version": 1})
        imported(tmp_path, "---\nmodel: x\nname: reader\n---\nYou write.\n")
