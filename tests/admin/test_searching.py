"""Staff find rows by any word of their names"""

import pytest
from django.db import connection

from agents.models import Agent, OperatorClaim
from catalogue.models import with_words, words_of
from installs.models import PersonaInstall, SkillInstall
from reviews.models import Review
from tests.admin.rows import url_of
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, claim

MAKERS = {
    "agent": lambda slug: AgentFactory(handle=slug),
    "skill": lambda slug: SkillFactory(slug=slug),
    "draft": lambda slug: SkillFactory(slug=slug, status="draft"),
    "persona": lambda slug: PersonaFactory(slug=slug),
}


def matches(admin_client, model, term):
    page = admin_client.get(url_of(model, "changelist"), {"q": term})
    assert page.status_code == 200
    return [str(row) for row in page.context["cl"].result_list]


@pytest.mark.parametrize("kind", MAKERS)
def test_a_word_of_a_name_finds_it(admin_client, kind, subtests):
    row = MAKERS[kind]("release-robin")
    MAKERS[kind]("release-captain")

    for term in ("robin", "ROBIN", "rob\u00adin", "rob", "rob release", "release-robin"):
        with subtests.test(term):
            assert matches(admin_client, type(row), term) == ["release-robin"]


def test_an_agent_is_found_by_a_word_of_its_name(admin_client):
    AgentFactory(handle="crawler", name="Crawler of the North")

    assert matches(admin_client, Agent, "north craw") == ["crawler"]
    assert matches(admin_client, Agent, "awler") == []
    assert matches(admin_client, Agent, "'); --") == []


def test_a_claim_is_found_by_its_agent_and_by_its_operator(admin_client, agent):
    claim(agent, name="Harbour Tools")

    for term in ("tools", "call"):
        assert matches(admin_client, OperatorClaim, term) == ["caller: claimed"]


@pytest.mark.parametrize(
    ("rows", "index"),
    [
        (Agent.objects, "agent_words"),
        (OperatorClaim.objects, "claim_words"),
    ],
)
@pytest.mark.django_db
def test_an_index_has_the_words(rows, index):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        # Over so few rows it would do as well.
        cursor.execute("DROP INDEX claim_email")

    assert index in rows.named("robin").order_by().explain()


@pytest.mark.parametrize(
    ("model", "query", "index"),
    [
        (SkillInstall, {"present": "no"}, "skill_install_removed"),
        (PersonaInstall, {"present": "no"}, "persona_install_removed"),
        (Review, {"hidden": "deleted"}, "review_deleted"),
    ],
)
def test_an_index_has_what_a_filter_may_find_few_of(admin_client, model, query, index):
    rows = admin_client.get(url_of(model, "changelist"), query).context["cl"].queryset
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        # Over so few rows it would do as well.
        cursor.execute("SET LOCAL enable_sort = off")

    assert index in rows.select_related(None)[:100].explain()


def test_a_search_without_words_finds_nothing(db):
    AgentFactory()

    assert not with_words(Agent.objects.all(), words_of("handle"), "--").exists()
