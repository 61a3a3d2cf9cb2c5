"""The pages of the list of skills, as MCP serves it"""

from itertools import chain

import pytest

from tests.factories import SkillFactory, SkillInstallFactory
from tests.interfaces.mcp_calls import result, send
from tests.interfaces.test_mcp_skills import OWN, uris


@pytest.mark.contract("22.9", "22.17")
def test_every_page_comes_once(client, agent):
    slugs = [f"skill-{number:03}" for number in range(205)]
    for slug in slugs:
        SkillInstallFactory(agent=agent, skill=SkillFactory(slug=slug))

    pages, cursor = [], None
    while True:
        listed = result(client, "skills/list", {"cursor": cursor} if cursor else {})
        pages.append(uris(listed))
        cursor = listed.get("nextCursor")
        if cursor is None:
            break

    assert [len(page) for page in pages] == [100, 100, 6]
    assert list(chain.from_iterable(pages)) == [
        OWN,
        *(f"skill://skills/{slug}/SKILL.md" for slug in reversed(slugs)),
    ]


@pytest.mark.contract("22.17")
@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "\u0665", "9" * 99])
def test_a_cursor_that_it_did_not_give_is_invalid(anyone, cursor):
    for method in ("skills/list", "resources/list"):
        error = send(anyone, method, {"cursor": cursor}).json()["error"]

        assert (error["code"], error["message"]) == (-32602, "cursor is invalid")


def test_a_page_asks_a_bounded_number_of_queries(client, agent, django_assert_max_num_queries):
    for number in range(30):
        SkillInstallFactory(agent=agent, skill=SkillFactory(files={"a.md": bytes([65 + number])}))
    result(client, "skills/list")

    with django_assert_max_num_queries(8):
        assert len(result(client, "skills/list")["skills"]) == 31
