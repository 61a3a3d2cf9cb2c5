"""The frontmatter of an entry of Skills over MCP: one skill's file costs nobody the list"""

import json
import re

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue.fences import FENCED
from catalogue.models import Skill
from catalogue.repairs import repair
from catalogue.yaml_fields import as_json, read_yaml
from demo.postgres import CHECKOUT
from interfaces.mcp.frontmatter import frontmatter_of
from tests.factories import SkillFactory, SkillInstallFactory
from tests.importing.odd_frontmatter import PIECES
from tests.interfaces.mcp_calls import result, send
from tests.interfaces.test_mcp_skills import OWN, uris

pytestmark = pytest.mark.contract("22.8")


DEMO = CHECKOUT / "demo" / "skills"


def uri_of(slug):
    return f"skill://skills/{slug}/SKILL.md"


def units(text):
    return len(text.encode("utf-16-le")) // 2


def is_text(value, least=0, most=10**9):
    return isinstance(value, str) and least <= units(value) <= most


def is_texts(value):
    return isinstance(value, dict) and all(map(is_text, value.values()))


def depth(value):
    values = value.values() if isinstance(value, dict) else value
    return 1 + max(map(depth, values), default=0) if isinstance(value, (dict, list)) else 0


# Aliases to characters that a repair writes as escape sequences.
LONG = f'name: x\ndescription: d\nx: [&a "{chr(0xFEFF) * 20_000}"{", *a" * 9}]\n'
CHECKS = {
    "name": lambda name: is_text(name, 1, 64) and re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name),
    "description": lambda text: is_text(text, 1, 1024) and text.strip(),
    "license": is_text,
    "compatibility": lambda text: is_text(text, 1, 500),
    "allowed-tools": is_text,
    "metadata": is_texts,
}


def problems_of(frontmatter):
    """The fields for which npm's client, FastMCP, the Inspector or the C# SDK refuses an entry."""
    orjson.dumps(frontmatter)
    missing = {"name", "description"} - frontmatter.keys()
    wrong = {
        key for key, check in CHECKS.items() if key in frontmatter and not check(frontmatter[key])
    }
    deep = {key for key, value in frontmatter.items() if depth(value) > 32}
    return missing | wrong | deep | {"__proto__"} & frontmatter.keys()


def entry_of(lines):
    return frontmatter_of(repair(f"---\n{lines}\n---\nDo it.\n", "pdf", "Reads.").text)


VALUES = st.recursive(
    st.sampled_from(
        [
            *(
                "",
                "~",
                "null",
                '""',
                "1.0",
                "007",
                "yes",
                "true",
                "2024-01-31",
                ".inf",
                "Read",
                "' '",
            ),
            *("!!str 1", "'😀'", '"\\0"', '"\\ud83d"', "&a x", "*a", "Bash(git add:*)", "9" * 20),
            *(f"'{text * count}'" for text in ("x", " ", "😀") for count in (499, 501, 1025)),
        ]
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(
            st.sampled_from(["a", "'b c'", "__proto__", "1", "io.modelcontextprotocol/x"]),
            inner,
            max_size=3,
        )
        .map(lambda pairs: ", ".join(f"{key}: {value}" for key, value in pairs.items()))
        .map(lambda pairs: f"{{{pairs}}}"),
    ),
    max_leaves=6,
)
KEYS = st.sampled_from([*CHECKS, "Metadata", "hooks", "disable-model-invocation", "__proto__", "1"])
LINES = st.builds("{}: {}".format, KEYS, VALUES)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINES | PIECES, max_size=8))
def test_every_client_accepts_whatever_the_catalogue_accepts(lines):
    text = repair("---\n" + "\n".join(lines) + "\n---\nDo it.\n", "pdf", "Reads.").text

    entry = frontmatter_of(text)

    assert not problems_of(entry)
    whole = as_json(read_yaml(text.split("---\n")[1]))
    assert {key for key in whole if entry.get(key, KeyError) != whole[key]} == problems_of(whole)


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("metadata: {version: 1.10, beta: true, since: 2024-01-31, by: ~}",
         {"metadata": {"version": "1.10", "beta": "true", "since": "2024-01-31", "by": ""}}),
        ("metadata:\n  a: {b: [1, x]}\n  io.modelcontextprotocol/c: d",
         {"metadata": {"a": '{"b":[1,"x"]}', "io.modelcontextprotocol/c": "d"}}),
        ("metadata: [a]", {}),
        ("metadata:", {}),
        ("license: 1.0", {"license": "1.0"}),
        ("license: ~", {}),
        ("license: [MIT, {b: é}]", {"license": '["MIT",{"b":"é"}]'}),
        ("allowed-tools: [Read, Bash(git add:*)]", {"allowed-tools": "Read Bash(git add:*)"}),
        ("allowed-tools: []", {"allowed-tools": ""}),
        ("allowed-tools: {Bash: git}", {"allowed-tools": '{"Bash":"git"}'}),
        ("compatibility: 3", {"compatibility": "3"}),
        ("compatibility: ''", {}),
        (f"compatibility: {'x' * 501}", {"compatibility": "x" * 500}),
        (f"compatibility: {'😀' * 251}", {"compatibility": "😀" * 250}),
        ("hooks: [1, 1.5, true, ~, {a: no}]", {"hooks": [1, 1.5, True, None, {"a": "no"}]}),
        ("disable-model-invocation: true", {"disable-model-invocation": True}),
        ("hooks: ~", {"hooks": None}),
        (f"hooks: {'[' * 32}{']' * 32}", {"hooks": json.loads("[" * 32 + "]" * 32)}),
        (f"hooks: {'[' * 33}{']' * 33}", {"hooks": "[" * 33 + "]" * 33}),
        ("__proto__: {a: b}", {}),
    ],
)  # fmt: skip
def test_a_field_that_would_not_fit_is_text(line, fields):
    assert entry_of(f"name: pdf\ndescription: x\n{line}") == {
        "name": "pdf",
        "description": "x",
        **fields,
    }


@pytest.mark.parametrize("folder", sorted(DEMO.iterdir()), ids=lambda folder: folder.name)
def test_the_demos_skills_fit(folder):
    lines = FENCED.match((folder / "SKILL.md").read_text())[1]

    assert not problems_of(as_json(read_yaml(lines)))


def test_a_long_description_is_cut_where_it_says_something():
    spaces = '"' + "\\n" * 2000 + 'a b"'

    assert entry_of(f"name: pdf\ndescription: {'x' * 2000}")["description"] == "x" * 1024
    assert entry_of(f"name: pdf\ndescription: {spaces}")["description"] == "a b"


def test_a_skill_whose_frontmatter_is_too_long_costs_nobody_the_list(client, agent):
    for slug, lines in {"good": "", "long": LONG}.items():
        skill = SkillFactory(slug=slug, content=f"---\nname: {slug}\n{lines}---\nDo it.\n")
        SkillInstallFactory(agent=agent, skill=skill)

    listed = result(client, "skills/list")
    resources = result(client, "resources/list")["resources"]

    assert uris(listed) == [resource["uri"] for resource in resources] == [OWN, uri_of("good")]
    long = result(client, "skills/get", {"uri": uri_of("long")})["skill"]
    assert long["frontmatter"]["x"][9] == "\ufeff" * 20_000


def test_a_file_that_an_older_release_could_read_costs_nobody_the_list(client, agent):
    skill = SkillFactory(slug="old")
    SkillInstallFactory(agent=agent, skill=skill)
    Skill.objects.update(skill_md="---\nname: [\n---\nDo it.\n")

    assert uris(result(client, "skills/list")) == [OWN]
    error = send(client, "skills/get", {"uri": uri_of("old")}).json()["error"]
    assert error["data"] == {"uri": uri_of("old")}
    [contents] = result(client, "resources/read", {"uri": uri_of("old")})["contents"]
    assert contents["text"].endswith("Do it.\n")
