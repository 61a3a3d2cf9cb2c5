"""One search for all spellings of a word: those of keyboards, word processors and languages."""

import unicodedata

import pytest

from tests.api.test_search import PERSONAS, SKILLS, slugs_for
from tests.factories import PersonaFactory, SkillFactory

ENTRIES = [
    ("pdf-tables", "PDF Tables", "Extract rows."),
    ("change-log", "Change Log", "Say what is new."),
    ("cv-review", "CV Review", "Polish a résumé."),
    ("turkish", "Turkish Texts", "Metinleri Türkçe yazar."),
    ("shoes", "Schuhe", "Zubehör für Füße, Größe passend."),
    ("c-sharp-mentor", "C# Mentor", "Teaches it."),
    ("c-plus-plus-mentor", "C++ Mentor", "Teaches it."),
    ("f-sharp-mentor", "F# Mentor", "Teaches it."),
    ("c-mentor", "C Mentor", "Teaches it."),
    ("dot-net-upgrade", ".NET Upgrade", "Moves projects."),
    ("asp-host", "ASP.NET Host", "Hosts pages."),
    ("r-and-d-ledger", "R&D Ledger", "Books grants."),
    ("node-server", "Node.js Server", "Serves pages."),
    ("next-site", "Next.js Site", "Renders pages."),
    ("front-end-kit", "Front-end Kit", "Styles forms."),
    ("parcels", "소포 테스트 자동화", "택배를 확인한다."),
    ("driven", "テスト駆動開発", "プログラムの品質。"),
    ("stocks", "股票分析", "分析股票的走势。"),
    ("persian-letters", "نامه‌های فارسی", "نوشتن نامه برای کاربران."),
    ("arabic-letters", "رسالة إلى المدرسة", "على ورق."),
    ("hebrew-letters", "מכתבים בעברית", "כתיבת מכתב ללקוח."),
    ("census", "जनगणना २०२४", "गाँव।"),
    ("office-flow", "Office Workflow", "Files an affidavit's pages."),
    ("cluster-rollout", "Kubernetes Rollout", "Ships releases."),
    ("index-advice", "Database Indexes", "Speeds up queries."),
]


@pytest.fixture
def entries(db):
    for slug, title, description in ENTRIES:
        SkillFactory(slug=slug, title=title, description=description, category="", tags=[])


def decomposed(text):
    return unicodedata.normalize("NFD", text)


def wide(text):
    return "".join(chr(ord(sign) + 0xFEE0) if sign > " " else "\u3000" for sign in text)


# A search, the spelling that it stands for, and the first result of both.
PAIRS = [
    # Dashes, hyphens, invisible characters and quotes
    ("extract\u2010tables", "extract-tables", "pdf-tables"),
    ("extract\u2011tables", "extract-tables", "pdf-tables"),
    ("extract\u2013tables", "extract-tables", "pdf-tables"),
    ("extract\u2014tables", "extract-tables", "pdf-tables"),
    ("extract\u2212tables", "extract-tables", "pdf-tables"),
    ("extract\ufe58tables", "extract-tables", "pdf-tables"),
    ("extract\uff0dtables", "extract-tables", "pdf-tables"),
    ("ta\u00adbles", "tables", "pdf-tables"),
    ("ta\u200bbles", "tables", "pdf-tables"),
    ("tables\ufe0f", "tables", "pdf-tables"),
    ("extract\u00a0tables", "extract tables", "pdf-tables"),
    ("affidavit\u2019s", "affidavit's", "office-flow"),
    ("\u201caffidavit\u201d", '"affidavit"', "office-flow"),
    # Widths, ligatures and decomposed letters
    (wide("extract tables"), "extract tables", "pdf-tables"),
    ("o\ufb03ce work\ufb02ow", "office workflow", "office-flow"),
    ("ﾃｽﾄ駆動", "テスト駆動", "driven"),
    (decomposed("プログラム"), "プログラム", "driven"),
    (decomposed("테스트"), "테스트", "parcels"),
    (decomposed("résumé"), "résumé", "cv-review"),
    # Accents
    ("resume", "résumé", "cv-review"),
    ("turkce", "Türkçe", "turkish"),
    ("zubehor", "Zubehör", "shoes"),
    ("zubehoer", "Zubehör", "shoes"),
    ("fuesse", "Füße", "shoes"),
    ("GRÖSSE", "Größe", "shoes"),
    # Names with signs
    ("csharp", "C#", "c-sharp-mentor"),
    ("c sharp", "C#", "c-sharp-mentor"),
    (wide("C#"), "C#", "c-sharp-mentor"),
    ("cpp", "C++", "c-plus-plus-mentor"),
    ("fsharp", "F#", "f-sharp-mentor"),
    ("C♯", "C#", "c-sharp-mentor"),
    ("dotnet", ".NET", "dot-net-upgrade"),
    ("aspnet", "ASP.NET", "asp-host"),
    ("r and d", "R&D", "r-and-d-ledger"),
    ("nodejs", "Node.js", "node-server"),
    ("next js", "Next.js", "next-site"),
    # Joined and split words, plurals, typos, short names
    ("changelog", "change log", "change-log"),
    ("changelogs", "change log", "change-log"),
    ("pdftables", "pdf tables", "pdf-tables"),
    ("extractrows", "extract rows", "pdf-tables"),
    ("frontend", "front end", "front-end-kit"),
    ("af fidavit", "affidavit", "office-flow"),
    ("kuberntes", "kubernetes", "cluster-rollout"),
    ("databases", "database", "index-advice"),
    ("indices", "index", "index-advice"),
    ("k8s", "kubernetes", "cluster-rollout"),
    ("db", "database", "index-advice"),
    # Persian, Arabic, Hebrew and Hindi
    ("نامههای", "نامه‌های", "persian-letters"),
    ("كاربران", "کاربران", "persian-letters"),
    ("علي", "على", "arabic-letters"),
    ("رساله", "رسالة", "arabic-letters"),
    ("الى المدرسه", "إلى المدرسة", "arabic-letters"),
    ("מִכְתָּב", "מכתב", "hebrew-letters"),
    ("२०२४", "2024", "census"),
]


@pytest.mark.contract("8.23")
def test_two_spellings_find_the_same_first(anyone, entries, alone):
    assert len(PAIRS) >= 40
    for typed, plain, slug in PAIRS:
        with alone(f"{typed!a}"):
            assert slugs_for(anyone, typed)[:1] == [slug]
            assert slugs_for(anyone, plain)[:1] == [slug]


def test_an_exact_spelling_comes_before_one_without_its_accents(anyone):
    for slug, title in (("exact", "Resume"), ("accented", "Résumé"), ("german", "Füße")):
        SkillFactory(slug=slug, title=title, description="", category="", tags=[])

    assert slugs_for(anyone, "resume") == ["exact", "accented"]
    assert slugs_for(anyone, "résumé") == ["accented", "exact"]
    assert slugs_for(anyone, "fuße") == ["german"]


def test_the_word_itself_comes_before_its_synonyms(anyone):
    for slug, title in (("word", "Lawyer Desk"), ("newer", "Attorney Desk")):
        SkillFactory(slug=slug, title=title, description="", category="", tags=[])

    assert slugs_for(anyone, "lawyer") == ["word", "newer"]
    assert slugs_for(anyone, "attorneys") == ["newer", "word"]


def test_a_word_that_has_synonyms_is_not_corrected(anyone):
    for slug, title in (("synonym", "Legal Desk"), ("nearest", "Layer Cake")):
        SkillFactory(slug=slug, title=title, description="", category="", tags=[])

    assert slugs_for(anyone, "lawyer") == ["synonym"]
    assert slugs_for(anyone, "lawyer cakke") == ["nearest", "synonym"]


def test_a_query_of_stop_words_is_found_word_by_word(anyone):
    SkillFactory(slug="band", title="The Who", description="", category="", tags=[])

    assert slugs_for(anyone, "who the") == ["band"]


def test_a_name_with_signs_is_another_word(anyone, entries):
    assert slugs_for(anyone, "C") == ["c-mentor"]
    assert slugs_for(anyone, "C#") == ["c-sharp-mentor"]
    assert slugs_for(anyone, "C++") == ["c-plus-plus-mentor"]
    assert slugs_for(anyone, "net") == []


# What people type in other languages, and all that it finds.
LANGUAGES = [
    ("测试驱动开发", []),
    ("分析股票", ["stocks"]),
    ("股票", ["stocks"]),
    ("駆動開発", ["driven"]),
    ("プログラム", ["driven"]),
    ("소포 확인", ["parcels"]),
    ("자동화", ["parcels"]),
    ("نوشتن نامه", ["persian-letters"]),
    ("کتاب", []),
    ("מכתב ללקוח", ["hebrew-letters"]),
    ("חשבונית", []),
    ("passendes Zubehör für große Füße", ["shoes"]),
    ("Rechnungen", []),
]


def test_other_languages_find_what_has_their_words(anyone, entries, alone):
    for words, slugs in LANGUAGES:
        with alone(f"{words!a}"):
            assert slugs_for(anyone, words) == slugs


def nothing_but(*nearest):
    """The page of a search that finds nothing, with these `(kind, slug, title)`."""
    names = ("kind", "slug", "title")
    nearest = [dict(zip(names, values, strict=True)) for values in nearest]
    return {"results": [], "count": 0, "next": None, "previous": None, "nearest": nearest}


ARCHIVIST = ("persona", "archivist", "Archivist")
INDEXES = ("skill", "index-advice", "Database Indexes")


@pytest.mark.contract("8.24")
def test_a_search_without_a_match_names_the_nearest(anyone, entries, alone):
    PersonaFactory(slug="archivist", title="Archivist", description="", category="", tags=[])
    for path, params, nearest in (
        (SKILLS, {"q": "archvist"}, [ARCHIVIST]),
        (SKILLS, {"q": "archivist", "sort": "newest"}, [ARCHIVIST]),
        (PERSONAS, {"q": "databases"}, [INDEXES]),
        (SKILLS, {"q": "datenbases"}, [INDEXES]),
        (SKILLS, {"q": "database", "category": "none"}, [INDEXES]),
        (PERSONAS, {"q": "database", "minRating": "2"}, [INDEXES]),
        (SKILLS, {"q": "xyzzy"}, []),
        (SKILLS, {"q": "発見"}, []),
    ):
        with alone(f"{path} {params!a}"):
            response = anyone.get(path, params)
            assert (response.status_code, response.json()) == (200, nothing_but(*nearest))
    assert "nearest" not in anyone.get(SKILLS, {"q": "database"}).json()
    assert "nearest" not in anyone.get(SKILLS, {"category": "none"}).json()


def test_the_nearest_are_published_and_follow_the_catalogue(anyone, db):
    persona = PersonaFactory(slug="archivist", title="Archivist")
    assert anyone.get(SKILLS, {"q": "archivist"}).json() == nothing_but(ARCHIVIST)

    persona.title = "Archivist of All"
    persona.save()
    renamed = ("persona", "archivist", "Archivist of All")
    assert anyone.get(SKILLS, {"q": "archivist"}).json() == nothing_but(renamed)

    persona.status = "withdrawn"
    persona.save()
    assert anyone.get(SKILLS, {"q": "archivist"}).json() == nothing_but()


def test_the_website_links_the_nearest(anyone, db):
    PersonaFactory(slug="archivist", title="Archivist")

    page = anyone.get("/skills", {"q": "archvist"}).content.decode()

    assert '<a href="/personas/archivist">Archivist</a> (persona)' in page
