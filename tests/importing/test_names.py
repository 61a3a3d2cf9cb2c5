"""import_skills and import_personas: slugs and titles from the names that authors write."""

import pytest

from catalogue.models import Skill
from importing.exports import as_file
from tests.imports import (
    PERSONAS,
    import_personas,
    import_skills,
    persona,
    served,
    skill,
    slugs,
    write,
)

pytestmark = pytest.mark.django_db


# The slug of each name.
SLUGS = {
    "SQLMap Database Pentesting": "sqlmap-database-pentesting",
    "C Expert": "c-expert",
    "C++ Expert": "c-plus-plus-expert",
    "C# Expert": "c-sharp-expert",
    "F♯": "f-sharp",
    "Issue #12": "issue-12",
    "R&D": "r-and-d",
    "Q & A": "q-and-a",
    ".NET, ASP.NET and Node.js": "dotnet-asp-net-and-node-js",
    "Dr. Who...": "dr-who",
    "Reply to all @ work: 50 % off": "reply-to-all-at-work-50-percent-off",
    "Don\u2019t Repeat Yourself": "dont-repeat-yourself",
    "包裹分析师": "bao-guo-fen-xi-shi",
    "日本語のレビュー": "ri-ben-yu-norebiyu",
    "한국어 검토자": "han-gug-eo-geom-to-ja",
    "Проверка кода": "proverka-koda",
    "Έλεγχος κώδικα": "elegchos-kodika",
    "مراجع الكود": "mrj-lkwd",
    "ผู้ตรวจสอบ": "phutrwchsob",
    "Prüfer für Verträge": "pruefer-fuer-vertraege",
    "Günlük Özet İşçisi": "gunluk-ozet-iscisi",
    "Crème Brûlée": "creme-brulee",
    "🚀 Launch ❤️": "launch",
}


@pytest.mark.contract("23.1", "23.7")
def test_a_name_that_is_no_slug_is_the_title(anyone, tmp_path, subtests):
    for number, name in enumerate(SLUGS):
        skill(tmp_path / f"skills/{number}", f"name: '{name}'")
        persona(tmp_path / f"personas/{number}.md", f"name: '{name}'")

    import_skills(tmp_path / "skills")
    import_personas(tmp_path / "personas")

    for name, slug in SLUGS.items():
        with subtests.test(name):
            assert served(anyone, slug)["title"] == name
            assert served(anyone, slug, PERSONAS)["title"] == name


@pytest.mark.contract("23.7")
def test_a_name_in_parts_makes_the_same_slug(anyone, tmp_path):
    skill(tmp_path / "folder", "name: 'Pru\u0308fer'")

    import_skills(tmp_path)

    assert slugs(anyone) == ["pruefer"]


@pytest.mark.contract("23.7")
def test_a_given_title_wins(anyone, tmp_path):
    skill(tmp_path / "folder", "name: C++ Expert", "title: The expert")

    import_skills(tmp_path)

    assert served(anyone, "c-plus-plus-expert")["title"] == "The expert"


@pytest.mark.contract("23.1")
@pytest.mark.parametrize("name", ["👋🎉", "👩🏽‍💻", "🇩🇪", "!?"])
def test_a_name_without_a_sound_gives_way_to_the_files(anyone, tmp_path, name):
    persona(tmp_path / "greeter.md", f"name: '{name}'")

    import_personas(tmp_path)

    assert served(anyone, "greeter", PERSONAS)["title"] == name


@pytest.mark.contract("23.7")
def test_a_name_that_is_too_long_for_a_title_is_cut(anyone, tmp_path):
    skill(tmp_path / "folder", f"name: {'Long ' * 60}")

    import_skills(tmp_path)

    [slug] = slugs(anyone)
    assert served(anyone, slug)["title"] == ("Long " * 40).rstrip()


@pytest.mark.contract("23.7")
@pytest.mark.parametrize(("name", "title"), [("pdf-tables", "PDF Tables"), ("C#", "C#")])
def test_the_title_of_a_taken_slug_does_not_name_its_owner(anyone, tmp_path, name, title):
    for owner in ("one", "two", "two/more"):
        skill(tmp_path / owner / "folder", f"name: {name}")

    import_skills(tmp_path)

    assert [served(anyone, slug)["title"] for slug in slugs(anyone)] == [title] * 3


@pytest.mark.contract("23.7")
def test_an_export_keeps_the_title_of_a_taken_slug(tmp_path):
    for owner in ("one", "two"):
        skill(tmp_path / owner / "folder", "name: pdf-tables")
    import_skills(tmp_path)

    write(tmp_path / "again" / "SKILL.md", as_file(Skill.objects.get(slug="pdf-tables-two")))
    Skill.objects.filter(slug="pdf-tables-two").update(slug="gone")
    import_skills(tmp_path / "again")

    assert Skill.objects.get(slug="pdf-tables-two").title == "PDF Tables"


@pytest.mark.contract("23.4")
def test_an_entry_keeps_its_slug_when_its_name_would_make_another(anyone, tmp_path):
    skill(tmp_path / "folder", "name: C++ Expert")
    import_skills(tmp_path)
    renamed = Skill.objects.get()
    renamed.slug = "c-expert"
    renamed.save()

    outcome = import_skills(tmp_path)

    assert slugs(anyone) == ["c-expert"]
    assert outcome.summary == "skills: 0 created, 0 updated, 1 unchanged, 0 refused"


@pytest.mark.contract("8.7")
def test_a_search_for_a_name_with_signs_finds_its_entry_first(anyone, tmp_path):
    names = ["C Expert", "C++ Expert", "C# Expert"]
    for number, name in enumerate(names):
        skill(tmp_path / f"folder{number}", f"name: {name}")
    import_skills(tmp_path)

    for name in names:
        results = anyone.get("/api/v1/skills", {"q": name}).json()["results"]
        assert results[0]["title"] == name
