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
