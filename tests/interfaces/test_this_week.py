"""What changed this week: a page and its Atom feed"""

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree as ET

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Persona, Skill
from infrastructure.http_cache.store import cached_responses
from interfaces.website import week
from tests.api.versions import rewrite
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.pages import links, text_of, visible

pytestmark = pytest.mark.django_db(transaction=True)

ATOM = "{http://www.w3.org/2005/Atom}"
PAGE = "/this-week"


def changes(person):
    """What the page shows of each day, in words."""
    article = visible(person.get(PAGE)).partition("(Atom) ")[2]
    return article.partition(" For agents: ")[0]


def titled(day):
    return f"{day:%A, %-d %B}"


TODAY = titled(datetime.now(UTC))


@pytest.mark.contract("20.9")
def test_it_shows_by_day_what_is_new_and_first_what_to_act_on(person):
    PersonaFactory(slug="archivist", title="Archivist", description="Puts in order. Use it often.")
    fast = SkillFactory(slug="fast", title="Fast", description="")
    SkillFactory(slug="old", title="Old", description="").deprecate("Slow.", fast)
    SkillFactory(slug="bad", title="Bad").recall("Deletes\nfiles.")
    SkillFactory(slug="draft", status="draft")
    SkillFactory(slug="gone").withdraw()
    past = datetime.now(UTC) - timedelta(days=2)
    Skill.objects.filter(slug="bad").update(withdrawn_at=past)

    assert changes(person) == (
        f"{TODAY} Deprecated skill Old Slow. Use fast instead. New skill Old New skill Fast "
        "New persona Archivist Puts in order. "
        f"{titled(past)} Recalled skill Bad Deletes files."
    )


@pytest.mark.contract("20.9")
def test_an_update_says_what_changed_in_a_line(person):
    skill = SkillFactory(
        slug="pdf-tables",
        title="PDF Tables",
        version="1.0",
        content="# One\n\nText.",
        files={"a.txt": b"a", "b.txt": b"b"},
    )
    skill.files = SkillFactory(slug="other", files={"b.txt": b"c", "c.txt": b"c"}).files
    rewrite(skill, "# One\n\nText.\n\nMore.", version="1.1")
    persona = PersonaFactory(slug="archivist", title="Archivist", content="One\ntwo.")
    rewrite(persona, "One\nthree.", title="The Archivist")

    page = visible(person.get(PAGE))

    assert (
        "Version 2 PDF Tables see the changes SKILL.md: 2 lines added; 1 file added; "
        "1 file changed; 1 file removed; labeled 1.1" in page
    )
    line = "Version 2 The Archivist see the changes Prompt: 1 line added, 1 removed; new title"
    assert line in page
    assert "/skills/pdf-tables/versions/compare?from=1&to=2" in links(person.get(PAGE))


@pytest.mark.contract("20.9")
def test_the_updates_of_a_day_are_one_and_a_recalled_text_is_not_compared(person):
    skill = SkillFactory(slug="pdf-tables", title="PDF Tables", content="One.\n\nTwo.")
    for text in ("Two.", "Three."):
        rewrite(skill, f"One.\n\n{text}\n")

    assert "Versions 2 to 3 PDF Tables see the changes SKILL.md: 1 line added" in changes(person)
    assert "/skills/pdf-tables/versions/compare?from=1&to=3" in links(person.get(PAGE))
    skill.versions.get(number=1).recall("Unsafe.")

    assert changes(person) == (
        f"{TODAY} Version 1 recalled PDF Tables Unsafe. Versions 2 to 3 PDF Tables "
        "New skill PDF Tables Does one thing well."
    )


@pytest.mark.contract("8.13")
def test_it_says_nothing_of_the_prompt_of_a_priced_persona(person):
    persona = PersonaFactory(title="Archivist", content="Hush.\n\nOne.")
    rewrite(persona, "Hush.\n\nTwo.", description="Costs.")
    assert "Prompt: 1 line added, 1 removed; new description" in changes(person)

    Persona.objects.update(price_cents=500)

    assert "Version 2 Archivist see the changes new description New" in changes(person)


def test_a_text_that_is_too_long_for_this_is_another_one(person, monkeypatch):
    monkeypatch.setattr("interfaces.website.week.MAX_TOKENS", 2)
    rewrite(SkillFactory(title="Long", content="One."), "One.\n\nTwo.")

    assert "Version 2 Long see the changes another SKILL.md" in changes(person)


def test_a_week_without_changes_says_so(person, monkeypatch):
    SkillFactory(title="PDF Tables")
    for days in (6, 7):
        day = datetime.now(UTC).date() + timedelta(days=days)
        monkeypatch.setattr("interfaces.website.reads.today", lambda day=day: day)
        cached_responses.clear()

        assert ("PDF Tables" in changes(person)) == (days == 6)

    page = visible(person.get(PAGE))
    assert "What changed this week Nothing changed in the last seven days. For agents:" in page


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda skill: skill.deprecate("Slow."), "Deprecated skill"),
        (lambda skill: skill.recall("Bad."), "Recalled skill"),
        (lambda skill: skill.withdraw(), ""),
        (lambda skill: rewrite(skill, "Another."), "Versions 2 to 3"),
        (lambda skill: skill.versions.get(number=1).recall("Bad."), "Version 1 recalled"),
    ],
    ids=["deprecate", "recall", "withdraw", "update", "recall a version"],
)
def test_a_cached_page_shows_a_change_at_once(person, change, line):
    skill = SkillFactory(slug="pdf-tables")
    rewrite(skill, "Two.")
    before = text_of(person.get(PAGE))
    assert text_of(person.get(PAGE)) == before

    change(Skill.objects.get())

    assert line in changes(person)
    assert text_of(person.get(PAGE)) != before


def test_a_recall_of_what_was_withdrawn_already_is_shown(person):
    skill = SkillFactory(title="Bad")
    skill.withdraw()
    assert "Nothing changed" in visible(person.get(PAGE))

    skill.recall("Deletes files.")

    assert "Recalled skill Bad Deletes files." in changes(person)


def test_a_deprecation_has_the_day_on_which_it_began(person):
    skill = SkillFactory(title="Old")
    skill.deprecate("Slow.")
    Skill.objects.update(deprecated_at=datetime.now(UTC) - timedelta(days=9))
    skill.refresh_from_db()

    skill.deprecate("Very slow.")

    assert "Deprecated" not in changes(person)
    skill.end_deprecation()
    assert Skill.objects.get().deprecated_at is None
    skill.deprecate("Slow again.")
    assert "Deprecated skill Old Slow again." in changes(person)


def test_it_costs_four_statements_however_much_changed(person):
    def statements():
        cached_responses.clear()
        with CaptureQueriesContext(connection) as captured:
            assert person.get(PAGE).status_code == 200
        return len(captured)

    for factory in (SkillFactory, PersonaFactory):
        rewrite(factory(), "Two.")
    assert statements() == 4
    for factory in (SkillFactory, PersonaFactory):
        for _ in range(3):
            rewrite(factory(), "Two.")
        factory().recall("Bad.")
    assert statements() == 4


@pytest.mark.contract("20.9")
def test_it_shows_the_newest_of_each_sort_and_says_that_there_are_more(person):
    SkillFactory.create_batch(week.MOST - 1)
    SkillFactory(slug="bad", title="Bad").recall("Bad.")
    more = "More changed than this page shows."
    assert more not in changes(person)

    SkillFactory.create_batch(2)

    page = person.get(PAGE)
    assert more in changes(person)
    assert changes(person).count("New skill") == week.MOST
    assert "Recalled skill Bad" in changes(person)
    assert len(page.content) < 20_000


@pytest.mark.contract("20.9")
def test_of_many_changes_it_leaves_out_those_that_need_no_act(person, monkeypatch):
    monkeypatch.setattr(week, "MAX_EVENTS", 2)
    SkillFactory(slug="bad", title="Bad").recall("Bad.")
    past = datetime.now(UTC) - timedelta(days=2)
    Skill.objects.update(withdrawn_at=past)
    SkillFactory(title="One")
    assert "More changed" not in changes(person)

    SkillFactory(title="Two")

    assert changes(person).startswith(
        f"{TODAY} New skill Two Does one thing well. {titled(past)} Recalled skill Bad Bad. "
        "More changed than this page shows."
    )


def read(response):
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ET.fromstring(response.content)


@pytest.mark.contract("20.9")
def test_its_feed_has_the_same_changes(person):
    skill = SkillFactory(
        slug="pdf-tables", public_id="skill_1", title="PDF <b>", content="A.\n\nB."
    )
    rewrite(skill, "A.\n\nC.")
    PersonaFactory(slug="bad", public_id="persona_1", title="Bad").recall("a < b\x08")

    feed = read(person.get("/this-week.atom"))

    day = f"{datetime.now(UTC):%Y-%m-%d}"
    assert feed.findtext(f"{ATOM}id") == "http://testserver/this-week.atom"
    assert feed.findtext(f"{ATOM}title") == "What changed this week in the Agent Marketplace"
    assert {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")} == {
        "alternate": "http://testserver/this-week",
        "self": "http://testserver/this-week.atom",
    }
    tag = f"tag:testserver,{day}:"
    assert [
        tuple(item.findtext(f"{ATOM}{name}") for name in ("title", "summary", "id"))
        for item in feed.findall(f"{ATOM}entry")
    ] == [
        ("Recalled persona: Bad", "a &lt; b", f"{tag}/persona_1/recalled/0/"),
        (
            *("Version 2: PDF <b>", "SKILL.md: 1 line added, 1 removed"),
            f"{tag}/skill_1/updated/2/",
        ),
        ("New skill: PDF <b>", "Does one thing well.", f"{tag}/skill_1/new/0/"),
    ]
    first = person.get("/this-week.atom")
    again = person.get("/this-week.atom", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_site_leads_to_it(person):
    SkillFactory()

    assert links(person.get("/")).count(PAGE) == 2  # beside the activity, and at the bottom
    assert PAGE in links(person.get("/skills"))
    assert 'type="application/atom+xml" title="What changed this week"' in text_of(person.get(PAGE))


@pytest.mark.contract("26.8")
def test_a_members_only_catalogue_shows_it_to_members(person, settings):
    settings.CATALOGUE = "members"

    page = person.get(PAGE)

    assert (page.status_code, page["Location"]) == (302, "/operator?next=%2Fthis-week")
    assert person.get("/this-week.atom").status_code == 404
