"""manage.py inspect_catalogue"""

import re
from io import StringIO

import pytest
from django.core.management import call_command

from catalogue.models import Skill
from tests.factories import PersonaFactory, SkillFactory
from tests.imports import import_skills, skill, write

pytestmark = [pytest.mark.django_db, pytest.mark.contract("28.9")]
KEY = "AKIA" + "ABCDEFGHIJKLMNOP"


def inspected():
    """The lines without the time that it took."""
    out = StringIO()
    call_command("inspect_catalogue", stdout=out)
    return re.sub(r"in \d+\.\d seconds", "in no time", out.getvalue()).splitlines()


def test_it_prints_the_findings_of_all_entries(tmp_path):
    skill(tmp_path / "one", "name: one", "license: MIT", body="Do\u200b it.\n[a](gone.md)")
    write(tmp_path / "one" / "a.txt", f"\n{KEY}")
    import_skills(tmp_path)
    draft = SkillFactory(slug="two", license="MIT", status="draft")
    persona = PersonaFactory(slug="archivist", license="MIT", title="A\u202eB")
    persona.skills.add(draft)

    assert [line for line in inspected() if not line.startswith("skill two")] == [
        "skill one: hidden-text: SKILL.md, line 7: U+200B ZERO WIDTH SPACE",
        'skill one: dead-link: SKILL.md, line 8: "gone.md" is not among the files',
        "skill one: secret: a.txt, line 2: AWS access key, AKIA…",
        "persona archivist: hidden-text: title, line 1: U+202E RIGHT-TO-LEFT OVERRIDE",
        "persona archivist: unknown-skill: archivist.md: no published skill is called two",
        inspected()[-1],
    ]
    assert inspected()[-1].startswith("3 entries inspected in no time: 2 hidden-text, ")


@pytest.mark.contract("28.11")
def test_it_corrects_what_lists_filter_by(settings):
    one, two = SkillFactory(slug="one", license="Ours"), SkillFactory(slug="two", license="Ours")
    Skill.objects.filter(pk=one.pk).update(findings=None)  # of an earlier release
    settings.LICENSES = ("MIT",)
    before = Skill.objects.get(pk=two.pk).updated_at

    inspected()

    assert [skill.findings for skill in Skill.objects.all()] == [["format", "license"]] * 2
    assert Skill.objects.get(pk=two.pk).updated_at == before


@pytest.mark.contract("28.10")
def test_published_slugs_that_look_alike():
    PersonaFactory(slug="form", license="MIT")
    PersonaFactory(slug="forrn", license="MIT", status="draft")

    assert inspected()[:-1] == [
        "persona forrn: look-alike: forrn.md: forrn is easily taken for form"
    ]


def test_it_reads_all_fields():
    texts = dict.fromkeys(("category", "author", "version", "description"), "a\u202eb")
    SkillFactory(slug="pdf", license="MIT", tags=["a\u202eb"], **texts)
    Skill.objects.update(deprecation_message="a\u202eb", withdrawal_reason="a\u202eb")

    names = {*texts, "tags", "deprecation_message", "withdrawal_reason"}
    assert {line for line in inspected() if "hidden-text: " in line} >= {
        f"skill pdf: hidden-text: {name}, line 1: U+202E RIGHT-TO-LEFT OVERRIDE" for name in names
    }


@pytest.mark.contract("28.7")
def test_it_lists_refused_characters_in_older_versions_that_agents_can_read():
    hidden = "Do\u202e it."
    skill = SkillFactory(slug="pdf", license="MIT", content=hidden)
    persona = PersonaFactory(slug="archivist", license="MIT", title="A\u202eB", content="One.")
    for title, content in {"Recalled": "Do\u202e more.", "Clean": "Do it."}.items():
        for entry in (skill, persona):
            entry.title, entry.content = title, content
            entry.save()
    for entry in (skill, persona):
        entry.versions.get(number=2).recall("It hides something.")

    assert [line for line in inspected() if "version" in line] == [
        "skill pdf, version 1: SKILL.md, line 1: U+202E RIGHT-TO-LEFT OVERRIDE",
        "persona archivist, version 1: title, line 1: U+202E RIGHT-TO-LEFT OVERRIDE",
    ]


def test_it_takes_as_many_queries_for_many_versions(django_assert_num_queries):
    skill = SkillFactory(license="MIT")
    for number in range(5):
        skill.content = f"Do it {number} times."
        skill.save()

    with django_assert_num_queries(11):
        inspected()


def test_a_clean_catalogue():
    PersonaFactory(license="MIT")

    assert inspected() == ["1 entries inspected in no time: no findings."]


@pytest.mark.parametrize(
    ("text", "finds"),
    [("MIT", False), ("Apache-2.0 OR GPL-3.0-only", False), ("GPL-3.0-only", True), ("Ours", True)],
)
def test_licenses_that_are_accepted(settings, tmp_path, text, finds):
    settings.LICENSES = ("MIT", "Apache-2.0")
    file = skill(tmp_path / "one", "name: one", f"license: {text}")

    outcome = import_skills(tmp_path)

    expected = [f"{file}: {text} is not accepted here"] if finds else []
    assert outcome.found("license") == expected
    assert any("license" in line for line in inspected()) == finds
