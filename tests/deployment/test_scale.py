"""A large catalogue stays fast: each statement of a read uses an index."""

import re

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Agent
from bench import lists
from bench.fill import fill
from catalogue.models import Persona, Skill, SkillVersion, look_alikes
from installs.models import PersonaInstall, SkillInstall

pytestmark = pytest.mark.django_db(transaction=True)

# Each read with the indexes that its statements must use; the plan of the count is below.
PLANS = [
    ("skills", ["skill_downloads"]),
    ("skills?sort=newest", ["skill_newest"]),
    ("skills?sort=updated", ["skill_updated"]),
    ("skills?sort=name", ["skill_name"]),
    ("skills?category=category-15", ["skill_category_key"]),
    ("skills?author=author-1", ["skill_author_key"]),
    ("skills?license=ISC", ["skill_license"]),
    ("skills?tag=tag-900&sort=newest", ["skill_label_keys"]),
    ("skills?runtime=x&sort=newest", ["skill_label_keys"]),
    ("skills?tag=tag-900&runtime=x", ["skill_label_keys"]),
    ("skills?bundledIn=bench-1", ["unique_persona_slug"]),
    ("personas", ["persona_installs"]),
    ("personas?sort=rating", ["persona_rating"]),
    ("personas?sort=price", ["persona_price"]),
    ("personas?free=false&sort=price", ["persona_price"]),
    ("personas?minRating=4&sort=rating", ["persona_rating"]),
    ("skills?q=bibaba", ["skillposting_best", "catalogue_skill_pkey"]),
    ("skills?q=bibabq", ["search_facetcount_pkey", "skillposting_best", "catalogue_skill_pkey"]),
    (
        "skills?q=bibaba&category=category-1",
        ["search_skillposting_pkey", "catalogue_skill_pkey"],
    ),
    ("skills/bench-1", ["unique_skill_slug", "catalogue_persona_skills_"]),
]


@pytest.fixture
def filled(transactional_db):
    with connection.cursor() as cursor:
        # The planner counts the space of rows that other tests deleted.
        cursor.execute("TRUNCATE catalogue_skill, catalogue_persona CASCADE")
    fill(skills=300, personas=30, agents=20, installs=100)
    yield
    with connection.cursor() as cursor:
        cursor.execute("RESET enable_seqscan")


@pytest.mark.contract("28.10")
def test_no_statement_scans_a_table(anyone, filled, subtests):
    """One test, because filling takes a second."""
    for name, check in {
        "a read": lambda: assert_no_read_scans(anyone),
        "finding look-alikes": assert_look_alikes_do_not_scan,
        "counting": assert_counting_does_not_scan,
    }.items():
        with subtests.test(name):
            check()


def assert_no_read_scans(anyone):
    for path, indexes in PLANS:
        with CaptureQueriesContext(connection) as captured:
            response = anyone.get(f"/api/v1/{path}")
        assert response.status_code == 200, path
        # PostgreSQL prefers to scan so small a table, so sequential scans are disabled.
        plans = "\n".join(plan(query["sql"]) for query in captured.captured_queries)
        assert [index for index in indexes if index not in plans] == [], (path, plans)
        assert "Seq Scan" not in plans, path


def assert_look_alikes_do_not_scan():
    with CaptureQueriesContext(connection) as captured:
        assert look_alikes(Skill, ["bench-1s", "x"]) == {"bench-1s": "bench-1"}

    text = plan(captured.captured_queries[0]["sql"])

    assert "skill_look_alike" in text
    assert "Seq Scan" not in text


def plan(sql):
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        cursor.execute(f"EXPLAIN {sql}")
        lines = "\n".join(line for (line,) in cursor.fetchall())
        cursor.execute("RESET enable_seqscan")
    return lines


def assert_counting_does_not_scan():
    for function, facet, index in (
        ("search_count", "word", "search_facetcount_pkey"),
        ("search_label_count", "tag", "facet_count_key"),
    ):
        with connection.cursor() as cursor:
            cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = %s", [function])
            ((body,),) = cursor.fetchall()
        (counting,) = re.findall(r"RETURN \((.*)\);", body, re.DOTALL)
        counting = counting.replace("= counted", f"= '{facet}'")

        text = plan(re.sub(r"= (of|this|lower\(label\))", "= 'skill'", counting))

        assert index in text
        assert "facet_count_delta" in text
        assert "Seq Scan" not in text


def test_filling_adds_what_is_missing_and_keeps_every_count_true(anyone, capsys):
    for size in (100, 300):
        fill(skills=size, personas=30, agents=size, installs=size * 10)
    capsys.readouterr()

    call_command("recount")
    call_command("rebuild_search")
    assert capsys.readouterr().out == (
        "Every counter is correct.\n"
        "skills: the index and the counts are correct.\n"
        "personas: the index and the counts are correct.\n"
    )
    assert (Skill.objects.count(), Persona.objects.count(), Agent.objects.count()) == (300, 30, 300)
    assert (SkillInstall.objects.count(), PersonaInstall.objects.count()) == (2700, 300)
    assert anyone.get("/api/v1/skills").json()["count"] == 300


def test_filling_adds_the_versions_that_are_missing(anyone):
    fill(skills=20, versions=2)
    fill(skills=30, versions=3, personas=5, agents=5, installs=30)

    numbers = [
        row["number"] for row in anyone.get("/api/v1/skills/bench-1/versions").json()["results"]
    ]
    assert numbers == [3, 2, 1]
    assert {skill.versions.count() for skill in Skill.objects.all()} == {3}
    assert SkillVersion.objects.values("skill", "digest").distinct().count() == 90
    for install in SkillInstall.objects.select_related("skill"):
        assert (install.number, install.installed_digest) == (3, install.skill.digest)
    assert {install.number for install in PersonaInstall.objects.all()} == {1}


def test_filling_restores_every_index():
    def indexes():
        with connection.cursor() as cursor:
            cursor.execute("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1")
            return cursor.fetchall()

    before = indexes()
    fill(skills=10, versions=2)

    assert indexes() == before


def test_it_writes_the_lists_that_a_load_is_drawn_from(client_of, tmp_path):
    fill(skills=50, personas=20, agents=10, installs=100)

    lists.write(tmp_path)

    drawn = {path.name: path.read_text().splitlines() for path in tmp_path.iterdir()}
    assert {name: len(rows) for name, rows in drawn.items() if name != "words"} == {
        "skills": 50,
        "personas": 18,
        "tokens": 10,
        "reviewers": 10,
    }
    for row in drawn["reviewers"]:
        token, persona = row.split()
        assert token in drawn["tokens"]
        body = {"personaSlug": persona, "rating": 4}
        assert client_of(token=token).post("/api/v1/agents/me/reviews", body).status_code == 201
