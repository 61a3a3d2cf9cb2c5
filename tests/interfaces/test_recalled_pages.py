"""The page of a recalled entry stays, and says so; the API has no such entry (contract 18.9)."""

import pytest
from django.utils import timezone

from tests.api.versions import rewrite
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.pages import links, text_of, visible

REASON = "It sends files elsewhere.\nSince version 2."


@pytest.fixture
def skill(db):
    return SkillFactory(slug="pdf-tables", title="PDF <Tables>", files={"run.py": b"1"})


@pytest.mark.contract("18.9")
@pytest.mark.parametrize("place", ["", "/", "/files", "/versions", "/versions/1", "/files/run.py"])
def test_it_is_gone_with_title_date_reason_and_successor(person, skill, place):
    skill.recall(REASON, SkillFactory(slug="pdf-forms"))

    page = person.get(f"/skills/pdf-tables{place}")

    text = visible(page, 410)
    today = f"{timezone.now():%-d %B %Y}"
    assert f"PDF <Tables> Recalled on {today} : It sends files elsewhere. Since" in text
    assert "Use pdf-forms instead." in text
    assert text.index("Recalled") < text.index("410 Gone")
    assert '<p class="notice is-danger" role="note"><b>Recalled</b>' in text_of(page, 410)
    assert "/skills/pdf-forms" in links(page, 410)
    assert "<title>PDF &lt;Tables&gt; was recalled · Agent Marketplace</title>" in text_of(
        page, 410
    )


@pytest.mark.contract("18.9")
def test_a_search_for_its_name_leads_to_it(person, skill):
    notice = "The skill PDF <Tables> was recalled on"
    for words in ("pdf-tables", "PDF Tables"):
        assert notice not in visible(person.get("/skills", {"q": words}))

    skill.recall(REASON)

    for words in ("pdf-tables", "PDF Tables"):
        page = person.get("/skills", {"q": words})
        assert f"{notice} {timezone.now():%-d %B %Y}. Its page says why." in visible(page)
        assert "/skills/pdf-tables" in links(page)
    assert notice not in visible(person.get("/personas", {"q": "pdf-tables"}))


def test_one_of_a_persona_is_too(person, db):
    persona = PersonaFactory(slug="archivist", title="Archivist")
    persona.recall("It lies.")

    text = visible(person.get("/personas/archivist"), 410)

    assert "Archivist Recalled on" in text
    assert ": It lies. Our staff removed this persona from the catalogue" in text
    assert "instead" not in text


def test_a_successor_that_is_gone_is_not_named(person, skill):
    successor = SkillFactory(slug="pdf-forms")
    skill.recall(REASON, successor)
    successor.withdraw()

    assert "pdf-forms" not in visible(person.get("/skills/pdf-tables"), 410)


@pytest.mark.contract("18.9")
def test_the_api_has_no_such_entry(anyone, skill):
    skill.recall(REASON)

    for path in ("", "/SKILL.md", "/versions", "/versions/1", "/archive.zip"):
        response = anyone.get(f"/api/v1/skills/pdf-tables{path}")
        assert (response.status_code, response.json()) == (404, {"error": "Skill not found"})


@pytest.mark.contract("18.9")
@pytest.mark.parametrize("leave", ["withdraw", "redraft"])
def test_an_entry_withdrawn_without_a_reason_is_an_ordinary_404(person, skill, leave):
    getattr(skill, leave)()

    assert "404 Skill not found It may have been withdrawn" in visible(
        person.get("/skills/pdf-tables"), 404
    )


@pytest.mark.contract("18.9")
def test_it_ends_with_the_recall_and_so_does_the_successor(person, anyone, skill):
    skill.recall(REASON, SkillFactory(slug="pdf-forms"))
    skill.publish()

    assert person.get("/skills/pdf-tables").status_code == 200
    assert anyone.get("/api/v1/skills/pdf-tables").json()["deprecation"] is None


def test_a_deprecation_outlasts_a_recall(person, anyone, skill):
    skill.deprecate("It is slow.", SkillFactory(slug="old-successor"))
    skill.recall(REASON, SkillFactory(slug="pdf-forms"))
    skill.publish()

    assert anyone.get("/api/v1/skills/pdf-tables").json()["deprecation"] == {
        "message": "It is slow.",
        "replacedBy": "pdf-forms",
    }


@pytest.mark.contract("18.9")
def test_agents_with_a_recalled_skill_read_the_replacement(client, skill):
    assert (
        client.post("/api/v1/agents/me/skills/install", {"slug": "pdf-tables"}).status_code == 201
    )

    skill.recall(REASON, SkillFactory(slug="pdf-forms"))

    [row] = client.get("/api/v1/agents/me/skills").json()["results"]
    assert row["deprecation"] == {"message": REASON, "replacedBy": "pdf-forms"}


@pytest.mark.contract("18.9")
def test_the_page_of_a_recalled_version_says_so_until_the_recall_ends(person, anyone, skill):
    rewrite(skill, content="Do it twice.")
    first, page = skill.versions.get(number=1), "/skills/pdf-tables/versions/1"
    first.recall(REASON)

    text = visible(person.get(page), 410)

    today = f"{timezone.now():%-d %B %Y}"
    assert f"Version 1 of PDF <Tables> Recalled on {today} : It sends files" in text
    assert "Use the current version , or another one . 410 Gone" in text
    assert "/skills/pdf-tables/versions" in links(person.get(page), 410)
    assert anyone.get(f"/api/v1{page}").json() == {"error": "Version not found"}
    for unknown in ("3", "x", "99999999999"):
        assert "Version not found" in visible(person.get(page.replace("/1", f"/{unknown}")), 404)

    first.lift_recall()
    assert person.get(page).status_code == 200
