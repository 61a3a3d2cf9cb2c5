"""What changed between two versions of an entry, on the website (contract 25.15)."""

import re
from html import unescape
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalogue.models import Persona
from interfaces.website.versions import with_both
from tests.api.versions import rewrite
from tests.factories import SkillFactory
from tests.interfaces.pages import links, text_of, visible
from tests.interfaces.two_versions import persona_of_two_versions, skill_of_two_versions

pytestmark = pytest.mark.django_db(transaction=True)

VERSIONS = "/skills/pdf-tables/versions"


@pytest.fixture
def skill():
    return skill_of_two_versions()


@pytest.fixture
def persona():
    return persona_of_two_versions()


@pytest.mark.usefixtures("skill")
def test_the_list_links_what_changed_since_the_version_before(anyone, skill):
    rewrite(skill, "# Third")
    skill.versions.filter(number=1).update(recalled_at=timezone.now())

    comparisons = [link for link in links(anyone.get(VERSIONS)) if "compare" in link]

    assert comparisons == [f"{VERSIONS}/compare?from=2&to=3"]


def test_the_last_version_of_a_page_is_compared_with_the_first_of_the_next(anyone, skill):
    for number in range(3, 7):
        rewrite(skill, f"Text {number}")

    def compared(page):
        return [link.partition("?")[2] for link in links(page) if "/compare?" in link]

    def turned(page, rel):
        return anyone.get(unescape(re.search(f'rel="{rel}" href="([^"]*)', text_of(page))[1]))

    first = anyone.get(f"{VERSIONS}?limit=2")
    second = turned(first, "next")
    third = turned(second, "next")

    assert compared(first) == ["from=5&to=6", "from=4&to=5"]
    assert compared(second) == ["from=3&to=4", "from=2&to=3"]
    assert compared(third) == ["from=1&to=2"]
    back = turned(third, "prev")
    assert compared(back) == compared(second)
    assert compared(turned(back, "prev")) == compared(first)

    skill.versions.get(number=2).recall("Unsafe.")

    for page in (turned(first, "next"), turned(third, "prev")):
        assert compared(page) == ["from=3&to=4"]


@pytest.mark.contract("25.15")
def test_a_comparison_shows_lines_words_and_files(anyone, skill):
    page = anyone.get(f"{VERSIONS}/compare?from=1&to=2")

    text = text_of(page)
    assert '<span class="del" data-line="6"># <mark>First</mark></span>' in text
    assert '<span class="add" data-line="6"># <mark>Second</mark></span>' in text
    assert "&lt;script&gt;" in text
    assert "<b>Label</b>" in text
    assert "1 line added, 3 removed. Label" in visible(page)
    assert "SKILL.md 1 line added, 3 removed" in visible(page)
    assert page.headers["Cache-Control"] == "public, no-cache"
    skill.files = []
    rewrite(skill, "# Third")
    text = text_of(anyone.get(f"{VERSIONS}/compare?from=2&to=3"))
    assert '<p class="notice" role="note">Removes 1 script.</p>' in text
    assert "<b>scripts/run.py</b> removed" in text


@pytest.mark.contract("25.15")
@pytest.mark.usefixtures("skill")
def test_an_earlier_version_links_what_has_changed_since(anyone):
    [link] = [link for link in links(anyone.get(f"{VERSIONS}/1")) if "compare" in link]

    assert link == f"{VERSIONS}/compare?from=1"
    assert text_of(anyone.get(link)) == text_of(anyone.get(f"{link}&to=2"))


def test_a_cached_comparison_with_the_current_version_follows_it(anyone, skill):
    url = f"{VERSIONS}/compare?from=1"
    assert "Second" in visible(anyone.get(url))

    rewrite(skill, "# Third")

    assert "Third" in visible(anyone.get(url))


def chosen(page, name):
    """The versions that a form offers, and the one that is selected."""
    field = text_of(page).partition(f'<select name="{name}">')[2].partition("</select>")[0]
    options = re.findall(r'<option value="(\d+)"( selected)?>([^<]*)</option>', field)
    return [text for _, _, text in options], [number for number, mark, _ in options if mark]


@pytest.mark.contract("25.15")
def test_any_two_versions_can_be_chosen(anyone, skill):
    rewrite(skill, "# Third", version="")
    rewrite(skill, "# Fourth")
    skill.versions.get(number=2).recall("Unsafe.")
    day = f"{skill.versions.first().created_at:%-d %b %Y}"
    versions = [f"v4, {day}", f"v3, {day}", f"v1 (1.0), {day}"]

    page = anyone.get(VERSIONS)

    assert f'action="{VERSIONS}/compare"' in text_of(page)
    assert chosen(page, "from") == (versions, ["3"])
    assert chosen(page, "to") == (versions, ["4"])
    compared = anyone.get(f"{VERSIONS}/compare?from=1&to=3")
    assert chosen(compared, "from") == (versions, ["1"])
    assert chosen(compared, "to") == (versions, ["3"])
    SkillFactory(slug="single")
    assert "<select" not in text_of(anyone.get("/skills/single/versions"))


def test_the_form_offers_the_versions_that_are_compared_even_if_they_are_old():
    choices = [Mock(number=number) for number in (9, 8)]

    both = with_both(choices, Mock(number=2), choices[0])

    assert [version.number for version in both] == [9, 8, 2]


@pytest.mark.contract("25.15")
@pytest.mark.usefixtures("skill")
@pytest.mark.parametrize("query", ["", "from=9", "from=1&to=9", "from=x", "from=1&to=", "to=2"])
def test_an_unknown_version_is_not_compared(anyone, query):
    assert "Version not found" in visible(anyone.get(f"{VERSIONS}/compare?{query}"), 404)


def test_a_recalled_version_is_not_compared(anyone, skill):
    url = f"{VERSIONS}/compare?from=1&to=2"
    assert anyone.get(url).status_code == 200

    skill.versions.get(number=1).recall("Unsafe.")

    assert "Version not found" in visible(anyone.get(url), 404)


def test_the_prompt_of_a_priced_persona_is_in_no_comparison(anyone, persona):
    url = "/personas/archivist/versions/compare?from=1&to=2"
    assert "You are <mark>one</mark>." in text_of(anyone.get(url))

    Persona.objects.update(price_cents=500)

    page = visible(anyone.get(url))
    assert "You are" not in page
    assert "not public" in page


@pytest.mark.usefixtures("skill")
@pytest.mark.parametrize(
    "path", ["/versions/1", "/versions/compare?from=1", "/files/scripts/run.py"]
)
def test_the_way_back_names_the_skill_by_its_title(anyone, path):
    page = anyone.get(f"/skills/pdf-tables{path}")

    assert "Skills / PDF <i>tables</i>" in visible(page)


@pytest.mark.contract("25.15")
def test_a_comparison_of_long_texts_counts_what_it_does_not_show(anyone, skill):
    for word in ("one", "two"):
        rewrite(skill, "\n".join(f"{word} {number}" + "x" * 90 for number in range(4_000)))

    page = text_of(anyone.get(f"{VERSIONS}/compare?from=3&to=4"))

    shown = page.count('<span class="del" ') + page.count('<span class="add" ')
    assert f'<span class="place">{8_000 - shown:,} more lines changed</span>' in page
    assert 900 < shown <= 1_000
    assert len(page.encode()) < 200_000


def test_a_comparison_reads_all_files_at_once(anyone):
    counts = []
    for number in (1, 1, 9):
        skill = SkillFactory(files={f"{name}.txt": b"old" for name in range(number)})
        skill.files = SkillFactory(files={f"{n}.txt": b"new %d" % n for n in range(number)}).files
        skill.save()
        with CaptureQueriesContext(connection) as queries:
            page = anyone.get(f"/skills/{skill.slug}/versions/compare?from=1&to=2")
        assert f"new {number - 1}" in visible(page)
        counts.append(len(queries))

    assert counts[1] == counts[2]
