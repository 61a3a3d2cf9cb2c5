"""Importing real SKILL.md and persona files from public repositories."""

import json
import re
from io import BytesIO
from zipfile import ZipFile

import pytest

from catalogue.models import Persona, Skill
from demo.postgres import CHECKOUT
from tests.imports import PERSONAS, SKILLS, import_personas, import_skills, served, slugs

DATA = CHECKOUT.parent / "shared" / "data"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db,
    pytest.mark.skipif(
        not (DATA / "MANIFEST.jsonl").exists(),
        reason=f"the real files are not at hand: no {DATA / 'MANIFEST.jsonl'}",
    ),
]

# Fields of files that a strict YAML reader refuses or reads differently.
READ = {
    "skills/affaan-m/returns-reverse-logistics/SKILL.md": {"author": "evos", "version": "1.0.0"},
    "skills/crufro/moltspace/skill.md": {"slug": "molt-space", "version": "4.0.0"},
    "skills/otherpowers/content-id-guide/SKILL.md": {"slug": "content-id-guide", "version": "1.0"},
    "skills/google-labs-code/upload-to-stitch/SKILL.md": {"slug": "stitch-upload-to-stitch"},
    "skills/sp0oby/cabin-sol/SKILL.md": {"author": "Ted", "license": "MIT"},
    "skills/simota/Voice/SKILL.md": {"slug": "voice", "title": "Voice"},
    "skills/limone-eth/molthunt/SKILL.md": {"slug": "molthunt", "version": "1.0.0"},
    "personas/github/centos-linux-expert.agent.md": {"slug": "centos-linux-expert"},
    "personas/msitarzewski/zk-steward.md": {"slug": "zk-steward", "priceCents": 0},
}


def manifest(kind, *parses):
    """The paths below DATA of one kind of file, by how well a reader can parse them."""
    rows = map(json.loads, (DATA / "MANIFEST.jsonl").read_text().splitlines())
    return [
        f"{row['local']}/{row['file']}" if row["file"] else row["local"]
        for row in rows
        if row["kind"] == kind and row["parse"] in parses
    ]


@pytest.fixture
def imported(db):
    return {SKILLS: import_skills(DATA / "skills"), PERSONAS: import_personas(DATA / "personas")}


def slugs_by_path():
    """The slug that each file became, by its path below DATA."""
    by_path = {}
    for model in (Skill, Persona):
        for source, slug in model.objects.values_list("source", "slug"):
            by_path[source.removeprefix(f"{DATA.resolve()}/")] = slug
    return by_path


@pytest.fixture(params=[(SKILLS, "skill"), (PERSONAS, "persona")], ids=["skills", "personas"])
def readable(request, imported):
    """An endpoint and, by slug, the files behind it that a lenient reader can parse."""
    endpoint, kind = request.param
    known = slugs_by_path()
    paths = manifest(kind, "yaml", "lenient")
    files = {known[path]: DATA / path for path in paths}
    assert len(files) == len(paths) > 30
    return endpoint, files


def test_every_readable_file_is_listed(anyone, readable):
    endpoint, files = readable

    assert slugs(anyone, endpoint) == sorted(files)


def test_every_readable_file_is_served_with_its_text(anyone, readable):
    endpoint, files = readable

    for slug, file in files.items():
        text = file.read_bytes().decode()
        detail = served(anyone, slug, endpoint)
        assert detail["title"], slug
        assert detail["description"], slug
        if endpoint == SKILLS:
            assert detail["content"] == text
        else:
            start = detail["frontmatter"] or text.partition(detail["content"])[0]
            assert (start + detail["content"]).rstrip() == text.rstrip()


def test_every_folder_comes_back_byte_for_byte(anyone, imported):
    known = slugs_by_path()
    beside = {}
    for path in manifest("skill", "yaml", "lenient"):
        folder = (DATA / path).parent
        files = {
            file.relative_to(folder).as_posix(): file.read_bytes()
            for file in folder.rglob("*")
            if file.is_file() and file != DATA / path
        }
        beside[known[path]] = files
        rows = served(anyone, known[path])["files"]

        by_one = {file["path"]: anyone.get(file["url"]).content for file in rows}
        assert by_one == files, path
        with ZipFile(BytesIO(anyone.get(f"{SKILLS}/{known[path]}/archive.zip").content)) as archive:
            assert archive.namelist() == ["SKILL.md", *(file["path"] for file in rows)]
            assert {name: archive.read(name) for name in files} == files, path
    assert len([slug for slug, files in beside.items() if files]) > 25


def test_every_skill_is_served_as_its_author_wrote_it_but_for_named_repairs(anyone, imported):
    known, repaired = slugs_by_path(), []
    for path in manifest("skill", "yaml", "lenient"):
        repairs = Skill.objects.get(slug=known[path]).repairs
        served_text = anyone.get(f"{SKILLS}/{known[path]}/SKILL.md").content
        assert (served_text == (DATA / path).read_bytes()) == (repairs == []), path
        repaired += [f"{DATA / path}: served with a repair: {name}" for name in repairs]
    found = [line for line in imported[SKILLS].found("format") if ": served with" in line]
    named = [re.sub(r", line \d+: ", ": ", line) for line in found]
    assert sorted(named) == sorted(repaired)


def test_every_readable_file_is_found_by_its_title(anyone, readable):
    endpoint, files = readable
    lost = {}

    for slug in files:
        title = served(anyone, slug, endpoint)["title"]
        response = anyone.get(endpoint, {"q": title, "limit": "10"})
        results = [row["slug"] for row in response.json()["results"]]
        if slug not in results:
            lost[slug] = results

    assert lost == {}


def test_fields_are_read_as_they_are_meant(anyone, imported):
    known = slugs_by_path()

    details = {path: served(anyone, known[path], f"/api/v1/{path.split('/')[0]}") for path in READ}

    assert {path: {name: details[path][name] for name in READ[path]} for path in READ} == READ


@pytest.mark.contract("23.5")
@pytest.mark.parametrize(("endpoint", "kind"), [(SKILLS, "skill"), (PERSONAS, "persona")])
def test_every_other_file_is_refused_with_its_path_and_a_reason(imported, endpoint, kind):
    outcome = imported[endpoint]

    refused = dict(line.split(": ", 1) for line in outcome.refused)
    assert set(refused) == {str(DATA / path) for path in manifest(kind, "none")}
    assert all(reason.startswith("no frontmatter") for reason in refused.values())
    assert outcome.summary.endswith(f" 0 updated, 0 unchanged, {len(refused)} refused")
    assert outcome.status == 1


def test_importing_real_files_again_changes_nothing(anyone, imported):
    before = [anyone.get(endpoint, {"limit": "100"}).json() for endpoint in (SKILLS, PERSONAS)]

    for run, folder, kind in (
        (import_skills, "skills", "skill"),
        (import_personas, "personas", "persona"),
    ):
        outcome = run(DATA / folder)
        files, refused = manifest(kind, "yaml", "lenient"), manifest(kind, "none")
        assert outcome.summary == (
            f"{folder}: 0 created, 0 updated, {len(files)} unchanged, {len(refused)} refused"
        )

    after = [anyone.get(endpoint, {"limit": "100"}).json() for endpoint in (SKILLS, PERSONAS)]
    assert after == before


def test_an_agent_installs_a_real_skill_and_persona_and_reviews_it(client, imported):
    me = "/api/v1/agents/me"

    skill = client.post(f"{me}/skills/install", {"slug": "frontend-design"})
    persona = client.post(f"{me}/personas/install", {"slug": "zk-steward", "setActive": True})
    review = client.post(f"{me}/reviews", {"personaSlug": "zk-steward", "rating": 4.5})

    assert [response.status_code for response in (skill, persona, review)] == [201, 201, 201]
    profile = client.get(me).json()
    assert profile["activePersona"]["slug"] == "zk-steward"
    assert [row["slug"] for row in profile["skills"]] == ["frontend-design"]
    assert profile["counts"] == {"skills": 1, "personas": 1, "reviews": 1}
    assert served(client, "frontend-design")["downloads"] == 1
    assert served(client, "zk-steward", PERSONAS)["ratingAvg"] == 4.5
