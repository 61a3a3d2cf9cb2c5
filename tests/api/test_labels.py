"""Filters and facets find a label in any case, and in whichever form Unicode has for it."""

import unicodedata

import pytest

from catalogue.models import Persona, Skill
from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.mcp_calls import call

KINDS = [("skills", SkillFactory), ("personas", PersonaFactory)]
FILTERS = {
    "category": ("category", "Übersicht"),
    "tag": ("tags", ["PDF", "Überblick"]),
    "runtime": ("runtimes", ["Übung"]),
    "author": ("author", "Überall"),
    "license": ("license", "Überbau"),
}


@pytest.mark.contract("8.3")
@pytest.mark.parametrize(("path", "factory"), KINDS)
def test_a_filter_finds_both_spellings(anyone, path, factory, subtests):
    in_lower_case = {
        field: label.lower() if isinstance(label, str) else [text.lower() for text in label]
        for field, label in FILTERS.values()
    }
    factory(slug="one", **dict(FILTERS.values()))
    factory(slug="two", **in_lower_case)
    factory(slug="three")

    for name, (_, label) in FILTERS.items():
        text = label if isinstance(label, str) else label[-1]
        for value in (text, text.lower(), text.upper(), unicodedata.normalize("NFD", text)):
            for params in ({name: value}, {name: value, "q": "one two three"}):
                with subtests.test(params):
                    body = anyone.get(f"/api/v1/{path}", params).json()

                    assert {row["slug"] for row in body["results"]} == {"one", "two"}
                    assert body["count"] == 2


@pytest.mark.contract("8.3")
def test_several_tags_are_found_in_any_case(anyone):
    SkillFactory(slug="both", tags=["PDF", "csv"])
    SkillFactory(slug="one", tags=["pdf"])

    body = anyone.get("/api/v1/skills?tag=pdf&tag=CSV").json()

    assert [row["slug"] for row in body["results"]] == ["both"]
    assert body["count"] == 1


@pytest.mark.contract("21.2")
@pytest.mark.parametrize(("path", "factory"), KINDS)
def test_a_facet_counts_spellings_that_differ_in_case_once(anyone, path, factory):
    for label in ("PDF", "pdf", "pdf", "csv"):
        factory(category=label, tags=[label], runtimes=[label], author=label, license=label)

    body = anyone.get("/api/v1/facets", {"kind": path.removesuffix("s")}).json()

    counts = [{"value": "pdf", "count": 3}, {"value": "csv", "count": 1}]
    assert list(body.values()) == [counts] * 5


@pytest.mark.contract("21.2")
@pytest.mark.parametrize(("path", "factory"), KINDS)
def test_a_facet_follows_the_spelling_of_an_edited_entry(anyone, path, factory):
    entry = factory(category="PDF")
    entry.category = "pdf"
    entry.save()

    body = anyone.get("/api/v1/facets", {"kind": path.removesuffix("s")}).json()

    assert body["categories"] == [{"value": "pdf", "count": 1}]


@pytest.mark.django_db
@pytest.mark.contract("8.21")
@pytest.mark.parametrize(("model", "factory"), [(Skill, SkillFactory), (Persona, PersonaFactory)])
def test_labels_are_stored_in_nfc_and_once(model, factory):
    parts, whole = "Jo\u0308rg", "J\u00f6rg"
    texts = dict.fromkeys(["title", "category", "author", "license"], parts)

    entry = factory(**texts, tags=[parts, whole, "PDF", "pdf"], runtimes=[parts])

    expected = dict.fromkeys(texts, whole) | {"tags": [whole, "PDF"], "runtimes": [whole]}
    assert model.objects.values(*expected).get() == expected
    model.objects.filter(pk=entry.pk).update(author=parts, tags=["a", "A"])
    assert model.objects.values_list("author", "tags").get() == (whole, ["a"])


@pytest.mark.contract("8.3")
@pytest.mark.parametrize(("path", "factory"), KINDS)
def test_mcp_and_the_website_find_both_spellings_too(anyone, path, factory):
    for slug, tag in (("one", "PDF"), ("two", "pdf"), ("three", "csv")):
        factory(slug=slug, tags=[tag], category=tag)

    tool = call(anyone, f"search_{path}", tag=["Pdf"], category="Pdf")
    page = anyone.get(f"/{path}", {"category": "Pdf"})

    assert {row["slug"] for row in tool["structuredContent"]["results"]} == {"one", "two"}
    assert {entry.slug for entry in page.context["results"]} == {"one", "two"}
    [category, *_] = page.context["facets"]
    choices = [(choice["label"], choice["is_set"]) for choice in category["choices"]]
    assert choices == [("PDF", True), ("csv", False)]
