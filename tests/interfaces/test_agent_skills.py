"""Agent Skills discovery: the indexes, SKILL.md, and the `skills` CLI of npm as their client."""

import hashlib
import os
import re
import shutil
import subprocess

import pytest
import yaml
from django.db import connection
from django.test.utils import CaptureQueriesContext
from skills_ref.parser import parse_frontmatter
from skills_ref.validator import validate_metadata

from catalogue.models import Persona, Skill
from marketplace.http_cache.store import cached_responses
from tests.factories import PersonaFactory, SkillFactory
from tests.importing.test_real_files import DATA
from tests.imports import SKILLS, import_skills

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
INDEX = "/.well-known/agent-skills/index.json"
UNPAID = "This persona requires payment. Agent API currently supports free personas only."
CONTENT = "---\nname: pdf-tables\n---\n\n# Tables\n\n---\n\nRead them.\n"
SERVED = """---
name: pdf-tables
description: Extracts tables.
license: MIT
metadata:
  title: PDF tables
  category: data
  tags: pdf, csv
  version: "1.10"
---

# Tables

---

Read them.
"""


@pytest.fixture
def skill(db):
    return SkillFactory(
        slug="pdf-tables",
        title="PDF tables",
        description="Extracts tables.",
        category="data",
        tags=["pdf", "csv"],
        version="1.10",
        license="MIT",
        content=CONTENT,
    )


def digest(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def listed(slug, description, content):
    return {
        "name": slug,
        "type": "skill-md",
        "description": description,
        "url": f"/api/v1/skills/{slug}/SKILL.md",
        "digest": digest(content),
    }


def file_of(client, slug):
    answer = client.get(f"/api/v1/skills/{slug}/SKILL.md")
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def problems(text, slug):
    fields, _ = parse_frontmatter(text)
    return validate_metadata(fields) + ([] if fields["name"] == slug else ["its name"])


def test_a_skill_is_served_below_a_frontmatter_of_the_catalogue(anyone, skill):
    answer = anyone.get("/api/v1/skills/pdf-tables/SKILL.md")

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer.content.decode() == SERVED


@pytest.mark.parametrize(
    "frontmatter",
    [
        "name: pdf-tables\ndescription: Reads tables. Use it when there are some, at 10:30 too.",
        'license: MIT\nname: pdf-tables\ndescription: "Reads: tables"\ncompatibility: Linux',
        "name: pdf-tables\ndescription: Reads.\nmetadata:\n  author: me\n  version: '1.10'",
    ],
)
def test_a_valid_file_is_served_as_it_is(anyone, frontmatter):
    content = f"---\n{frontmatter}\n---\n\n# Tables\n\n\nRead them.\n\n"
    SkillFactory(slug="pdf-tables", content=content)

    text = file_of(anyone, "pdf-tables")

    assert text == content
    assert problems(text, "pdf-tables") == []


def test_a_skill_has_an_index_of_its_own(anyone, skill):
    answer = anyone.get(f"/skills/pdf-tables{INDEX}")

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {
        "$schema": SCHEMA,
        "skills": [listed("pdf-tables", "Extracts tables.", SERVED.encode())],
    }


def test_the_index_of_the_marketplace_holds_its_own_skill_alone(anyone, skill):
    served = anyone.get("/skill.md").content

    (entry,) = anyone.get(INDEX).json()["skills"]

    assert entry["name"] == "agent-marketplace"
    assert "http://testserver" in entry["description"]
    assert (entry["type"], entry["url"]) == ("skill-md", "/skill.md")
    assert entry["digest"] == digest(served)


def test_a_persona_lists_the_published_skills_that_it_bundles(anyone, skill):
    other = SkillFactory(slug="csv-cleaning", description="")
    hidden = SkillFactory(status="withdrawn")
    PersonaFactory(slug="archivist", skills=[skill, other, hidden])

    answer = anyone.get(f"/personas/archivist{INDEX}")

    assert answer.status_code == 200
    assert answer.json() == {
        "$schema": SCHEMA,
        "skills": [
            listed("csv-cleaning", other.title, file_of(anyone, "csv-cleaning").encode()),
            listed("pdf-tables", "Extracts tables.", SERVED.encode()),
        ],
    }


def test_a_persona_without_skills_has_an_empty_index(anyone):
    PersonaFactory(slug="archivist")

    answer = anyone.get(f"/personas/archivist{INDEX}")

    assert (answer.status_code, answer.json()) == (200, {"$schema": SCHEMA, "skills": []})


def test_a_priced_persona_is_refused_as_its_install_is(anyone, skill):
    PersonaFactory(slug="bookkeeper", skills=[skill], price_cents=500)

    answer = anyone.get(f"/personas/bookkeeper{INDEX}")

    assert answer.status_code == 402
    assert answer.json() == {"error": UNPAID}


@pytest.mark.parametrize(
    ("change", "status"), [({"price_cents": 1}, 402), ({"status": "withdrawn"}, 404)]
)
def test_a_kept_index_is_not_given_again_once_it_may_not_be(anyone, skill, change, status):
    PersonaFactory(slug="archivist", skills=[skill])
    assert anyone.get(f"/personas/archivist{INDEX}").status_code == 200

    Persona.objects.update(**change)

    assert anyone.get(f"/personas/archivist{INDEX}").status_code == status


@pytest.mark.parametrize("slug", ["none", "No.Slug", "a%00b", "draft"])
@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/skills/{}" + INDEX, "Skill not found"),
        ("/api/v1/skills/{}/SKILL.md", "Skill not found"),
        ("/personas/{}" + INDEX, "Persona not found"),
    ],
)
def test_an_unknown_slug_is_a_404_in_json(anyone, path, error, slug):
    SkillFactory(slug="draft", status="draft")
    PersonaFactory(slug="draft", status="draft")

    answer = anyone.get(path.format(slug))

    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {"error": error}


PATHS = [
    INDEX,
    f"/skills/pdf-tables{INDEX}",
    f"/personas/archivist{INDEX}",
    "/api/v1/skills/pdf-tables/SKILL.md",
]


@pytest.mark.parametrize("path", PATHS)
def test_answers_are_kept_tagged_and_never_redirected(anyone, skill, path):
    PersonaFactory(slug="archivist", skills=[skill])
    first = anyone.get(path)

    again = [anyone.get(path), anyone.get(f"{path}/"), anyone.head(path)]
    known = anyone.get(path, headers={"If-None-Match": first.headers["ETag"]})

    assert [answer.status_code for answer in [first, *again]] == [200] * 4
    assert {answer.headers["ETag"] for answer in again} == {first.headers["ETag"]}
    assert first.headers["Cache-Control"] == "public, no-cache"
    assert (known.status_code, known.content) == (304, b"")
    assert not first.cookies
    assert anyone.post(path).json() == {"error": "Method POST is not allowed here; use GET, HEAD"}


def test_an_edit_changes_file_digest_and_etag(anyone, skill):
    path = f"/skills/pdf-tables{INDEX}"
    before = anyone.get(path)

    Skill.objects.update(content=CONTENT.replace("Read", "Look at"))

    after = anyone.get(path)
    assert after.headers["ETag"] != before.headers["ETag"]
    assert after.json()["skills"][0]["digest"] == digest(file_of(anyone, "pdf-tables").encode())
    assert "Look at them." in file_of(anyone, "pdf-tables")


def test_reading_counts_as_no_download(anyone, skill):
    PersonaFactory(slug="archivist", skills=[skill])

    for path in PATHS:
        assert anyone.get(path).status_code == 200

    assert Skill.objects.get().downloads == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("path", "most"), [*zip(PATHS, [0, 1, 2, 1], strict=True)])
def test_it_costs_no_more_statements_than_the_api(anyone, path, most):
    PersonaFactory(
        slug="archivist", skills=[SkillFactory(slug="pdf-tables"), *SkillFactory.create_batch(9)]
    )
    anyone.get(path)  # compiled once
    cached_responses.clear()

    with CaptureQueriesContext(connection) as cold:
        anyone.get(path)
    with CaptureQueriesContext(connection) as known:
        anyone.get(path)

    assert len(cold) == most
    assert len(known) == min(most, 1)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("No frontmatter.", id="none"),
        pytest.param("", id="nothing at all"),
        pytest.param("---\nname: Other Name\ndescription: x\n---\nDo.", id="another name"),
        pytest.param("---\nhomepage: http://x\nuser-invocable: true\n---\nDo.", id="other fields"),
        pytest.param("---\nmetadata: {a: [1, {b: c}]}\n---\nDo.", id="flow style"),
        pytest.param("---\na: &a x\nb: *a\n---\nDo.", id="anchors"),
        pytest.param("---\nallowed-tools: [Read, 'a --- b']\n---\nDo.", id="allowed tools"),
        pytest.param(f"---\ncompatibility: {'x' * 600}\n---\nDo.", id="a long compatibility"),
        pytest.param("---\nname: x: y: z\n  - b\n---\nDo.", id="no YAML"),
        pytest.param("---\nname: some\ndescription: a: b\n---\nDo.", id="a colon"),
        pytest.param("---\nname: some\ndescription: x\nname: some\n---\nDo.", id="a name twice"),
        pytest.param("---\nname: some\ndescription: x\na: b\n---\nDo.", id="a field of its own"),
        pytest.param("---\nname: some\ndescription:\n  a: b\n---\nDo.", id="a mapping"),
        pytest.param("---\nname: some\ndescription: a --- b\n---\nDo.", id="a line in a line"),
        pytest.param(f"---\nname: some\ndescription: {'x' * 1025}\n---\nDo.", id="too long"),
        pytest.param("---\nname: some\ndescription: ''\n---\nDo.", id="no description"),
        pytest.param("---\nname: some\ndescription: null\n---\nDo.", id="no text to some readers"),
        pytest.param("---\nname: some\ndescription: 1e5\n---\nDo.", id="a number to some readers"),
        pytest.param("---\nname: some\ndescription: a\tb\n---\nDo.", id="a tab"),
        pytest.param("---\nname: some\ndescription: x\nmetadata: y\n---\nDo.", id="no mapping"),
    ],
)
def test_whatever_is_stored_is_served_valid(anyone, content):
    SkillFactory(slug="some", content=content)

    text = file_of(anyone, "some")

    assert problems(text, "some") == []
    assert text.endswith("\n---\n\nDo.\n") or "Do." not in content


@pytest.mark.parametrize(
    "description",
    [
        "",
        "  ",
        "a --- b",
        "\N{PARTY POPPER}" * 1000,
        "x" * 5000,
        "- [x]: {y}",
        "two\nlines",
        "'\"#",
    ],
)
def test_whatever_is_described_is_valid_and_said_alike_in_both_places(anyone, description):
    SkillFactory(slug="some", title="Some --- skill", description=description)

    text = file_of(anyone, "some")
    (entry,) = anyone.get(f"/skills/some{INDEX}").json()["skills"]

    assert problems(text, "some") == []
    for fields in (parse_frontmatter(text)[0], yaml.safe_load(text.split("---\n")[1])):
        assert (entry["name"], entry["description"]) == (fields["name"], fields["description"])
    # The CLI counts as JavaScript does.
    assert 0 < len(entry["description"].encode("utf-16-le")) <= 2 * 1024


@pytest.mark.parametrize("slug", ["2048", "1e5", "null", "no", "2024-01-01", "0x1f"])
def test_a_slug_that_looks_like_no_text_is_one(anyone, slug):
    SkillFactory(slug=slug, content=f"---\nname: {slug}\ndescription: {slug}\n---\nDo.")

    (entry,) = anyone.get(f"/skills/{slug}{INDEX}").json()["skills"]

    assert entry["name"] == slug
    fields = yaml.safe_load(file_of(anyone, slug).split("---\n")[1])
    assert (fields["name"], fields["description"]) == (slug, entry["description"])


def test_a_name_is_cut_to_what_the_format_allows(anyone):
    slug = "a" * 63 + "-" + "b" * 36
    SkillFactory(slug=slug)

    (entry,) = anyone.get(f"/skills/{slug}{INDEX}").json()["skills"]

    assert entry["name"] == "a" * 63
    assert entry["url"] == f"/api/v1/skills/{slug}/SKILL.md"
    assert problems(file_of(anyone, slug), "a" * 63) == []


@pytest.mark.django_db
@pytest.mark.skipif(
    not (DATA / "MANIFEST.jsonl").exists(),
    reason=f"the real files are not at hand: no {DATA / 'MANIFEST.jsonl'}",
)
def test_every_real_skill_is_served_valid(anyone):
    import_skills(DATA / "skills")
    rows = anyone.get(SKILLS, {"limit": "100"}).json()["results"]

    found = {row["slug"]: problems(file_of(anyone, row["slug"]), row["slug"]) for row in rows}

    assert len(found) > 50
    assert {slug: wrong for slug, wrong in found.items() if wrong} == {}


@pytest.fixture(scope="session")
def skills_cli():
    """The command line of `npx skills`; with a newer Node.js beside it where ours is too old."""
    if shutil.which("npx") is None:
        pytest.skip("needs npm")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    node = tuple(int(part) for part in re.findall(r"\d+", version.stdout))
    newer = [] if node >= (22, 20) else ["--package", "node@22"]
    command = ["npx", "--yes", *newer, "--package", "skills@1", "--", "skills"]
    # What it downloads is kept where npm keeps everything, whatever HOME a test gives it.
    cache = subprocess.run(
        ["npm", "config", "get", "cache"], capture_output=True, text=True, check=True
    )
    environment = {**os.environ, "npm_config_cache": cache.stdout.strip(), "DISABLE_TELEMETRY": "1"}
    try:
        there = (
            subprocess.run(
                [*command, "--version"],
                env=environment,
                capture_output=True,
                timeout=180,
                check=False,
            ).returncode
            == 0
        )
    except subprocess.TimeoutExpired:
        there = False
    if not there:
        pytest.skip("needs the npm registry")
    return command, environment


@pytest.mark.external
@pytest.mark.parametrize(
    ("path", "installed"),
    [
        ("", ["agent-marketplace"]),
        ("/skills/pdf-tables", ["pdf-tables"]),
        ("/personas/archivist", ["csv-cleaning", "pdf-tables"]),
    ],
)
def test_the_skills_cli_installs(live_server_of, skills_cli, tmp_path, path, installed):
    skill = SkillFactory(slug="pdf-tables", content=CONTENT)
    PersonaFactory(slug="archivist", skills=[skill, SkillFactory(slug="csv-cleaning")])
    server = live_server_of()
    command, environment = skills_cli

    done = subprocess.run(
        [
            *command,
            *("add", f"http://127.0.0.1:{server.port}{path}"),
            *("--yes", "--copy", "--agent", "claude-code"),
        ],
        cwd=tmp_path,
        env={**environment, "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    files = {file.parent.name: file.read_text() for file in tmp_path.glob(".claude/skills/*/*.md")}
    assert sorted(files) == installed
    for name, text in files.items():
        own = name == "agent-marketplace"
        url = "/skill.md" if own else f"/api/v1/skills/{name}/SKILL.md"
        assert text == server.request("GET", url).body.decode()
        assert problems(text, name) == []
