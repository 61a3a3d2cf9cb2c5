"""What needs work: no description, no license, too long"""

import pytest

from tests.factories import PersonaFactory, SkillFactory

COMPLETE = {"description": "Reads tables.", "license": "MIT"}


@pytest.mark.parametrize("make", [SkillFactory, PersonaFactory], ids=["skill", "persona"])
@pytest.mark.parametrize(
    ("needs", "slugs"),
    [
        ("description", {"undescribed"}),
        ("license", {"unlicensed"}),
        ("shorter", {"long"}),
        ("any", {"undescribed", "unlicensed", "long"}),
    ],
)
def test_a_filter_shows_what_needs_work(admin_client, make, needs, slugs):
    make(slug="complete", content="x" * 20_000, **COMPLETE)
    make(slug="undescribed", **COMPLETE | {"description": ""}, status="draft")
    make(slug="unlicensed", **COMPLETE | {"license": ""})
    kind = make(slug="long", content="x" * 20_001, **COMPLETE)._meta.model_name

    page = admin_client.get(f"/admin/catalogue/{kind}/", {"needs": needs})

    assert {row.slug for row in page.context["cl"].result_list} == slugs


DUPLICATES = "/admin/catalogue/skill/near-duplicates/"


def pairs(admin_client):
    page = admin_client.get(DUPLICATES)
    assert page.status_code == 200
    return [
        (pair.one.slug, pair.other.slug, round(100 * pair.share)) for pair in page.context["pairs"]
    ]


def test_near_duplicates_are_paired_the_most_alike_first(admin_client):
    for slug, title, description in [
        ("tables", "PDF Tables", "Reads tables out of PDF files."),
        ("other", "Meeting minutes", "Writes down what was decided."),
        ("copy", "Pdf tables", "Reads tables out of PDF files"),
        ("close", "PDF Tables", "Reads large tables out of PDF files, too."),
    ]:
        SkillFactory(slug=slug, title=title, description=description)
    PersonaFactory(title="PDF Tables", description="Reads tables out of PDF files.")

    assert pairs(admin_client) == [("copy", "tables", 100), ("close", "copy", 75)]
    text = admin_client.get(DUPLICATES).content.decode()
    assert "75 % of the words" in text


def test_what_is_withdrawn_is_no_duplicate(admin_client):
    for status in ("published", "withdrawn"):
        SkillFactory(title="PDF Tables", description="Reads tables.", status=status)

    assert pairs(admin_client) == []


def test_many_copies_are_compared_quickly(admin_client, django_assert_max_num_queries):
    for number in range(30):
        SkillFactory(title="PDF Tables", description=f"Reads tables {number % 2}.")

    with django_assert_max_num_queries(15):
        duplicates = pairs(admin_client)

    assert len(duplicates) == 29
    assert {share for *_, share in duplicates} == {100, 60}


def test_near_duplicates_are_for_those_who_see_entries(admin_client_of):
    assert admin_client_of("Moderators").get(DUPLICATES).status_code == 403
