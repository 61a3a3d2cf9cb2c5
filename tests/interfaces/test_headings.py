"""A filtered list says what it is: in its title, its heading and its description."""

import re
from html import unescape

import pytest

from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.pages import links, text_of


def part(page, pattern):
    return unescape(re.search(pattern, text_of(page))[1])


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("/skills", "Skills"),
        ("/skills?sort=name&limit=5", "Skills"),
        ("/skills?category=data", "Data skills"),
        ("/skills?author=Harbour+Tools", "Skills by Harbour Tools"),
        ("/skills?tag=pdf&tag=ocr", "Skills tagged pdf and ocr"),
        ("/skills?category=data&runtime=python&license=MIT", "Data skills for python under MIT"),
        ("/skills?bundledIn=archivist", "Skills of the persona archivist"),
        ("/personas?free=true&category=data&minRating=4", "Free data personas rated 4 and up"),
        ("/personas?free=false", "Paid personas"),
        ("/personas?skill=pdf-tables", "Personas with the skill pdf-tables"),
        ("/skills?author=<b>", "Skills by <b>"),
    ],
)
def test_the_heading_names_the_filters(person, catalogue, path, heading):
    page = person.get(path)

    assert part(page, "<h1>(.*)</h1>") == heading
    assert part(page, "<title>(.*)</title>") == f"{heading} · Agent Marketplace"
    assert part(page, 'name="description" content="([^"]*)"').startswith(
        f"{heading} for software agents"
    )


def test_a_search_comes_first_in_the_title(person, catalogue):
    title = part(person.get("/skills?q=pdf&category=data"), "<title>(.*)</title>")

    assert title == "pdf: Data skills · Agent Marketplace"


def test_the_description_names_the_first_entries(person):
    for number in range(5):
        PersonaFactory(title=f"Persona {number}", author="Field Notes", installs=number)

    page = person.get("/personas?author=Field+Notes")

    assert part(page, 'name="description" content="([^"]*)"') == (
        "Personas by Field Notes for software agents, to install over HTTP, MCP or npx skills: "
        "Persona 4, Persona 3, Persona 2; 5 in all."
    )


@pytest.mark.parametrize(
    ("query", "own"),
    [
        ("?category=data", "?category=data"),
        ("?author=Harbour+Tools&sort=name", "?author=Harbour+Tools"),
        ("?tag=pdf", "?tag=pdf"),
        ("?tag=pdf&tag=ocr", ""),
        ("?tag=pdf&category=data", ""),
        ("?runtime=python", ""),
        ("?q=pdf&tag=pdf", ""),
        ("", ""),
    ],
)
def test_the_list_of_an_author_a_tag_or_a_category_is_a_page_of_its_own(person, query, own):
    SkillFactory()

    page = person.get(f"/skills{query}")

    assert part(page, 'rel="canonical" href="([^"]*)"') == f"http://testserver/skills{own}"
    assert (f"/personas{own}" in links(page)[4:]) == bool(own)
