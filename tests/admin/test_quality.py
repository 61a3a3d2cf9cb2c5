"""What needs work: published entries and drafts, by what an inspection finds in them"""

import pytest
from django.db import connection

from catalogue.findings import CODES
from catalogue.models import Skill
from tests.factories import PersonaFactory, SkillFactory
from tests.imports import import_skills, skill, write

COMPLETE = {"description": "Reads tables.", "license": "MIT"}
KEY = "AKIA" + "ABCDEFGHIJKLMNOP"


def add(make, slug, text="Do it.", **fields):
    file = f"---\nname: {slug}\ndescription: Reads tables.\n---\n{text}"
    return make(slug=slug, content=file, **COMPLETE | fields)


def needing(admin_client, code, kind="skill"):
    page = admin_client.get(f"/admin/catalogue/{kind}/", {"needs": code})
    return {row.slug for row in page.context["cl"].result_list}


@pytest.mark.contract("28.11")
def test_a_filter_shows_what_needs_work(admin_client):
    add(PersonaFactory, "complete")
    add(PersonaFactory, "unlicensed", license="")
    assert needing(admin_client, "any", "persona") == {"unlicensed"}

    add(SkillFactory, "complete")
    add(SkillFactory, "undescribed", description="", status="draft")
    add(SkillFactory, "unlicensed", license="")
    add(SkillFactory, "hidden", category="a\u200bb", status="withdrawn")
    add(SkillFactory, "long", "x\n" * 10_000)

    found = {code: needing(admin_client, code) for code in CODES}
    assert {code: slugs for code, slugs in found.items() if slugs} == {
        "description": {"undescribed"},
        "license": {"unlicensed"},
        "hidden-text": {"hidden"},
        "size": {"long"},
    }
    assert needing(admin_client, "any") == {"undescribed", "unlicensed", "hidden", "long"}


@pytest.mark.contract("28.11")
def test_the_files_of_an_import_count(admin_client, tmp_path):
    skill(tmp_path / "one", "name: One", "license: MIT", body="[a](gone.md)")
    write(tmp_path / "one" / "run.sh", KEY)
    import_skills(tmp_path)

    assert Skill.objects.get().findings == ["dead-link", "format", "script", "secret"]
    write(tmp_path / "one" / "gone.md", "Here.")
    (tmp_path / "one" / "run.sh").unlink()
    import_skills(tmp_path)
    assert needing(admin_client, "any") == needing(admin_client, "format") == {"one"}
    assert needing(admin_client, "secret") == set()


@pytest.mark.contract("28.11")
def test_each_save_inspects_what_it_stores(admin_client):
    entry = add(SkillFactory, "one", files={"scripts/a.txt": KEY.encode()})
    assert entry.findings == ["script", "secret"]
    other = Skill.objects.get()
    other.content += "Do\u200b that."
    other.save(update_fields=["content"])
    # A stale row does not bring the old text's findings back.
    entry.change_labels(license="Ours")
    assert needing(admin_client, "hidden-text") == {"one"}

    Skill.objects.get().versions.get(number=1).restore()
    entry.deprecate(f"Use {KEY}.")
    assert entry.findings == ["script", "secret"]
    entry.files = []
    entry.save(update_fields=["files"])
    assert entry.findings == ["secret"]
    entry.end_deprecation()

    assert needing(admin_client, "any") == set()


@pytest.mark.contract("28.11")
def test_a_persona_that_bundles_an_unpublished_skill(admin_client):
    skills = [SkillFactory(), SkillFactory(status="draft")]
    PersonaFactory(slug="one", skills=skills[:1])
    PersonaFactory(slug="two", skills=skills)

    assert needing(admin_client, "unknown-skill", "persona") == {"two"}


@pytest.mark.contract("28.11")
@pytest.mark.parametrize("code", ["hidden-text", "secret"])
def test_the_filter_scans_no_table(admin_client, django_assert_max_num_queries, code):
    with django_assert_max_num_queries(15) as captured:
        needing(admin_client, code)
    [listing] = [
        query["sql"]
        for query in captured.captured_queries
        if "findings" in query["sql"] and "COUNT" not in query["sql"]
    ]
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_indexscan = off")
        cursor.execute(f"EXPLAIN {listing}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "skill_findings" in plan
