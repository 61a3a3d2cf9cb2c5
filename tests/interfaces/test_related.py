"""What stands beside an entry: its installs by week, its neighbours."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from catalogue.models import Skill
from installs.models import PersonaInstall, SkillInstall
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)
from tests.interfaces.pages import text_of, visible

pytestmark = pytest.mark.django_db(transaction=True)


def weeks(page):
    (told,) = re.findall(r"oldest first: ([0-9, ]*)", text_of(page))
    return [int(number) for number in told.split(", ")]


def section(page, name):
    """The slugs of one of the sections below an entry."""
    text = text_of(page).partition(f'id="{name}"')[2].partition("</section>")[0]
    return re.findall(r'href="/(?:skills|personas)/([a-z0-9-]+)"', text)


def install(entry, *, days_ago, number=1):
    """Installs of agents of their own, so many days ago."""
    model = SkillInstall if isinstance(entry, Skill) else PersonaInstall
    then = datetime.now(UTC) - timedelta(days=days_ago)
    field = model._meta.get_field("installed_at")
    field.auto_now_add = False
    try:
        model.objects.bulk_create(
            model(agent=AgentFactory(), installed_at=then, **{model.kind: entry})
            for _ in range(number)
        )
    finally:
        field.auto_now_add = True


@pytest.mark.parametrize(
    ("factory", "kind"), [(SkillFactory, "skills"), (PersonaFactory, "personas")]
)
def test_a_page_shows_twelve_weeks_of_installs(person, factory, kind):
    entry = factory(slug="shown", **{"downloads" if kind == "skills" else "installs": 19})
    install(factory(), days_ago=0)
    for days_ago, number in ((0, 1), (6, 2), (7, 4), (83, 3), (84, 9)):
        install(entry, days_ago=days_ago, number=number)

    page = person.get(f"/{kind}/shown")
    assert "Installs a week, last 12 weeks: 0 to 4 Facts" in visible(page)
    assert weeks(page) == [3, *[0] * 9, 4, 3]
    (bars,) = re.findall(r'class="sparkline".*?<path d="([^"]*)"', text_of(page))
    heights = [float(height) for height in re.findall(r"v-([0-9.]+)", bars)]
    assert heights == [24, *[1] * 9, 32, 24]


def test_a_page_names_what_its_agents_also_have(person):
    current, often, seldom, draft, removed = (
        SkillFactory(slug=slug) for slug in ("shown", "often", "seldom", "draft", "removed")
    )
    for number in range(4):
        agent = AgentFactory()
        SkillInstallFactory(agent=agent, skill=current)
        SkillInstallFactory(agent=agent, skill=often)
        SkillInstallFactory(agent=agent, skill=draft)
        SkillInstallFactory(agent=agent, skill=removed, removed_at=datetime.now(UTC))
        if number < 2:
            SkillInstallFactory(agent=agent, skill=seldom)
    SkillInstallFactory(agent=agent, skill=SkillFactory(slug="once"))
    Skill.objects.filter(slug="draft").update(status="draft")

    assert section(person.get("/skills/shown"), "also") == ["often", "seldom"]
    assert 'id="also"' not in text_of(person.get("/skills/once"))


def test_those_that_have_left_do_not_count(person):
    current, other = PersonaFactory(slug="shown"), PersonaFactory(slug="other")
    for _ in range(2):
        agent = AgentFactory()
        PersonaInstallFactory(agent=agent, persona=current)
        PersonaInstallFactory(agent=agent, persona=other)
    assert section(person.get("/personas/shown"), "also") == ["other"]

    PersonaInstall.objects.filter(agent=agent, persona=current).update(removed_at=datetime.now(UTC))
    Skill.objects.create(slug="an-edit", status="published")

    assert section(person.get("/personas/shown"), "also") == []


def test_a_page_names_more_by_its_author_the_most_installed_first(person):
    SkillFactory(slug="shown", author="Harbour Tools")
    for downloads in range(6):
        SkillFactory(slug=f"by-{downloads}", author="Harbour Tools", downloads=downloads)
    SkillFactory(author="Somebody else")
    SkillFactory(slug="nobodys", author="")
    SkillFactory(author="")

    assert section(person.get("/skills/shown"), "more") == ["by-5", "by-4", "by-3", "by-2"]
    assert 'id="more"' not in text_of(person.get("/skills/nobodys"))


def test_a_withdrawn_neighbour_leaves_a_cached_page(person):
    SkillFactory(slug="shown", author="Harbour Tools")
    SkillFactory(slug="other", author="Harbour Tools")
    assert section(person.get("/skills/shown"), "more") == ["other"]

    Skill.objects.get(slug="other").withdraw()

    assert section(person.get("/skills/shown"), "more") == []


def test_a_related_skill_is_named_once(person):
    current, both = (SkillFactory(slug=slug, author="Harbour Tools") for slug in ("shown", "both"))
    SkillFactory(slug="other", author="Harbour Tools")
    for _ in range(2):
        agent = AgentFactory()
        for skill in (current, both):
            SkillInstallFactory(agent=agent, skill=skill)

    page = person.get("/skills/shown")

    assert section(page, "also") == ["both"]
    assert section(page, "more") == ["other"]


def test_a_page_says_how_many_agents_and_which_personas_use_the_entry(person):
    skill = SkillFactory(slug="pdf-tables", downloads=3)
    PersonaFactory(slug="archivist", title="Archivist", skills=[skill])
    for _ in range(2):
        SkillInstallFactory(skill=skill)
    SkillInstallFactory(skill=skill, removed_at=datetime.now(UTC))

    page = person.get("/skills/pdf-tables/used-by")

    text = visible(page)
    assert "Used by 2 agents have this skill now. It was installed 3 times in all." in text
    assert "Personas that bundle it Archivist" in text
    assert "<title>What uses Skill" in text_of(page)
    for kind, factory in (("skill", SkillFactory), ("persona", PersonaFactory)):
        factory(slug="unused")
        unused = visible(person.get(f"/{kind}s/unused/used-by"))
        assert f"Used by No agent has this {kind} now." in unused
    assert "No persona bundles this skill." in visible(person.get("/skills/unused/used-by"))
