"""The pages of a skill and of a persona."""

import re
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.utils import timezone

from catalogue.models import Persona, Skill
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    review,
)
from tests.interfaces.pages import links, text_of, visible


@pytest.mark.parametrize("path", ["/skills/pdf-tables", "/personas/archivist"])
def test_an_entry_leads_to_how_an_agent_reports_it(person, catalogue, path):
    page = person.get(path)

    kind, slug = ("skill" if "skills" in path else "persona"), path.rpartition("/")[2]
    text = visible(page)
    assert (
        f"Something wrong with this {kind}? Staff read every report. Nobody else sees it, or how "
        "many there are. Have your agent send this. If you have none, skill.md says how to "
        "register one. curl http://testserver/api/v1/agents/me/reports"
    ) in text
    assert f'{{"kind": "{kind}", "slug": "{slug}", "reason": "broken", "comment": "…"}}' in text
    (guide,) = (link for link in links(page) if link.startswith("/guide.md#"))
    address, anchor = guide.split("#")
    assert f'id="{anchor}"' in text_of(person.get(address, headers={"Accept": "text/html"}))


def test_personas_show_that_they_are_free_beside_those_that_are_not(person):
    PersonaFactory(slug="paid", price_cents=500)
    PersonaFactory(slug="gratis")

    cards = text_of(person.get("/personas?sort=price")).split('<li class="card">')[1:]

    assert [re.findall(r">(free|[$][0-9.]+)<", card) for card in cards] == [["free"], ["$5.00"]]


def test_a_skill_shows_what_it_is_and_how_to_install_it(person, catalogue):
    page = person.get("/skills/pdf-tables")

    text, visible_text = text_of(page), visible(page)
    assert "<h1>PDF tables</h1>" in text
    assert "<p>Use <strong>pdfplumber</strong>.</p>" in text
    for fact in ("Installs 1,234", "v1 (1.10) · updated today about 14 tokens MIT"):
        assert fact in visible_text
    assert "npx skills add http://testserver/git/skills/pdf-tables.git" in visible_text
    assert "curl http://testserver/api/v1/agents/me/skills/install" in visible_text
    assert 'install_skill {"slug": "pdf-tables"}' in visible_text
    assert {
        *("/skills/pdf-tables/versions", "/skills/pdf-tables/used-by"),
        *("/skills?category=data", "/skills?tag=pdf"),
        *("/skills?runtime=python", "/skills?author=Harbour%20Tools"),
        *("/api/v1/skills/pdf-tables", "/api/v1/skills/pdf-tables/SKILL.md"),
    } <= {*links(page)}


def test_a_persona_shows_its_prompt_its_skills_and_its_ratings(person, catalogue):
    for rating in (5, 5, 3):
        review(AgentFactory(), catalogue, rating)

    page = person.get("/personas/archivist")

    assert "<p><em>Quiet.</em></p>" in text_of(page)
    visible_text = visible(page)
    assert "★ 4.3 of 5" in visible_text
    assert "Prompt Versions 1 Used by 3 Reviews 3 Install" in visible_text
    assert "curl http://testserver/api/v1/agents/me/personas/install" in visible_text
    assert "npx skills add http://testserver/personas/archivist" in visible_text
    assert "about 2 tokens, 16 with its skills" in visible_text
    assert {"/skills/pdf-tables", "/personas/archivist/reviews"} < {*links(page)}
    reviews = visible(person.get("/personas/archivist/reviews"))
    assert "4.3 of 5, from 3 reviews 5 ★ stars 2 2 4 ★ stars 0 0 3 ★ stars 1 1 2 ★" in reviews
    assert "Ratings are counted by the nearest whole star: 4.5 counts as 5." in reviews


@pytest.mark.contract("8.13")
def test_a_priced_persona_shows_no_prompt_and_no_way_to_install_it(person, catalogue):
    Persona.objects.update(price_cents=1200)

    text = visible(person.get("/personas/archivist"))

    assert "This persona costs $12.00" in text
    assert "Quiet." not in text
    assert "personas/install" not in text
    assert "npx" not in text


@pytest.mark.parametrize(
    ("path", "title", "description"),
    [
        ("/", "Agent Marketplace", "Software agents find, install and review skills"),
        ("/skills", "Skills", "Skills for software agents"),
        ("/skills/pdf-tables/", "PDF tables", "Extracts tables."),
        ("/personas/archivist", "Archivist", "Does one thing well."),
    ],
)
def test_a_page_says_what_others_may_quote(person, catalogue, path, title, description):
    text = text_of(person.get(path))

    url = f"http://testserver{path.rstrip('/')}"
    assert f'<link rel="canonical" href="{url}">' in text
    assert f'<meta property="og:url" content="{url}">' in text
    assert f'<meta property="og:title" content="{title}">' in text
    assert f'<meta property="og:description" content="{description}' in text
    assert f'<meta name="description" content="{description}' in text


EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def test_texts_of_entries_never_run_as_scripts(person):
    texts = dict.fromkeys(["title", "description", "category", "author", "version"], EVIL[:64])
    more = {"tags": [EVIL], "runtimes": [EVIL], "content": f"{EVIL} [x](javascript:alert(1))"}
    skill = SkillFactory(slug="evil", **texts, **more)
    PersonaFactory(slug="evil", skills=[skill], **texts, **more)

    for path in (
        "/",
        "/skills",
        "/personas",
        "/skills/evil",
        "/personas/evil",
        f"/skills?q={EVIL}",
    ):
        text = text_of(person.get(path))
        assert text.count("<script") == 1
        assert "<img src=x" not in text
        assert "\"'>" not in text
        assert 'href="javascript' not in text


def test_a_text_that_would_multiply_itself_is_shown_as_it_stands(person):
    repeated = "[a]: http://e.com/" + "&" * 2000 + "\n\n" + "[a] " * 2200
    SkillFactory(slug="bomb", content=repeated)

    response = person.get("/skills/bomb")

    assert response.status_code == 200
    assert len(response.content) < 100_000


DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("age", "words"),
    [
        *((0 * DAY, "today"), (DAY, "yesterday"), (13 * DAY, "13 days ago")),
        *((14 * DAY, "2 weeks ago"), (59 * DAY, "8 weeks ago"), (60 * DAY, "2 months ago")),
        (800 * DAY, "2 years ago"),
    ],
)
def test_cards_and_pages_say_how_old_the_text_is(person, age, words):
    skill = SkillFactory(slug="pdf-tables")
    Skill.objects.filter(pk=skill.pk).update(updated_at=timezone.now() - age)

    for path in ("/", "/skills", "/skills/pdf-tables"):
        assert f"v1 · updated {words}" in visible(person.get(path))


@pytest.mark.infrastructure
@pytest.mark.django_db(transaction=True)
def test_a_cached_page_is_made_anew_each_day(person, catalogue, monkeypatch):
    assert "updated today" in visible(person.get("/skills"))
    tomorrow = timezone.now() + DAY
    monkeypatch.setattr("interfaces.website.tags.timezone.now", lambda: tomorrow)
    assert "updated today" in visible(person.get("/skills"))

    monkeypatch.setattr("interfaces.website.reads.datetime", Mock(now=lambda _: tomorrow))

    assert "updated yesterday" in visible(person.get("/skills"))


def test_a_card_shows_license_runtimes_scripts_and_price(person, catalogue):
    SkillFactory(slug="runs", title="Runs", files={"scripts/run.py": b"1"})
    SkillFactory(slug="reads", title="Reads", files={"notes.md": b"1"})
    PersonaFactory(slug="priced", price_cents=123456)

    assert "python MIT v1 · updated today" in visible(person.get("/skills?tag=pdf"))
    assert "scripts v1 · updated today" in visible(person.get("/skills?q=runs"))
    assert "scripts" not in visible(person.get("/skills?q=reads"))
    assert "scripts" in visible(person.get("/skills/runs")).partition("Install")[0]
    assert "$1,234.56" in visible(person.get("/personas?free=false"))


@pytest.mark.parametrize(
    ("lines", "shown"), [("tools: [Read, Grep]", "Tools Read, Grep"), ("tools:", "Tools none")]
)
def test_a_persona_shows_the_tools_that_it_asks_for(person, lines, shown):
    PersonaFactory(slug="reader", frontmatter=f"---\n{lines}\n---\n\n")
    PersonaFactory(slug="writer", frontmatter="---\nmodel: x\n---\n\n")

    for path in ("/personas/reader", "/personas/reader/versions/1"):
        assert shown in visible(person.get(path))
    for path in ("/personas/writer", "/personas/writer/versions/1"):
        assert "Tools" not in visible(person.get(path))
