"""Staff read what was searched for and not found: the text, how often, and nothing of who asked"""

import threading
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from infrastructure.replicas.monitor import monitor
from marketplace.models import RateCount
from search import zero_results
from search.models import ZeroResultSearch
from tests.factories import SkillFactory

LIST = "/admin/search/zeroresultsearch/"
SKILLS, PERSONAS = "/api/v1/skills", "/api/v1/personas"


def search(client, text, url=SKILLS, address="192.0.2.1", **query):
    response = client.get(url, {"q": text, **query}, REMOTE_ADDR=address)
    assert response.status_code == 200
    return response.json()["count"] if url.startswith("/api/") else response


def counted():
    return list(ZeroResultSearch.objects.values_list("kind", "text", "searches"))


def test_searches_without_results_are_counted_by_text_and_kind(admin_client, anyone):
    assert search(anyone, "Abacus  Repair") == 0
    assert search(anyone, " abacus repair", address="192.0.2.2") == 0
    assert search(anyone, "zither") == 0
    search(anyone, "abacus repair", PERSONAS)

    page = admin_client.get(LIST)

    assert [(row.kind, row.text, row.searches) for row in page.context["cl"].result_list] == [
        ("skill", "abacus repair", 2),
        ("persona", "abacus repair", 1),
        ("skill", "zither", 1),
    ]
    of_personas = admin_client.get(LIST, {"kind__exact": "persona"})
    assert [row.kind for row in of_personas.context["cl"].result_list] == ["persona"]


def test_the_dashboard_shows_the_first_and_leads_to_all(admin_client, anyone):
    search(anyone, "abacus")

    page = admin_client.get("/admin/")

    assert f'href="{LIST}">View all</a>' in page.content.decode()
    rankings = {ranking["title"]: ranking for ranking in page.context["rankings"]}
    ranking = rankings["Searches without results"]
    assert [(text, number) for text, number, _ in ranking["rows"]] == [("abacus", "1 for skills")]


def test_nothing_is_written_where_something_was_found_or_nothing_was_searched(anyone):
    SkillFactory(slug="pdf-tables", title="PDF Tables", category="data")

    with CaptureQueriesContext(connection) as queries:
        assert search(anyone, "pdf") == 1
        assert search(anyone, "", SKILLS) == 1
        # The filter leaves nothing, whatever the text.
        assert search(anyone, "pdf", SKILLS, category="games") == 0

    assert counted() == []
    assert "zeroresult" not in str(queries.captured_queries)
    assert not RateCount.objects.exists()


def test_a_text_is_counted_once_for_a_client_in_a_day(anyone):
    for text in ("abacus", "Abacus", "abacus", "zither"):
        search(anyone, text)
    assert sorted(counted()) == [("skill", "abacus", 1), ("skill", "zither", 1)]

    for address in ("192.0.2.2", "2001:db8:1::1", "2001:db8:1::2"):
        search(anyone, "Abacus", address=address)
        search(anyone, "aBacus", address=address)
    assert counted() == [("skill", "abacus", 3), ("skill", "zither", 1)]

    RateCount.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    search(anyone, "abaCus")
    assert counted() == [("skill", "abacus", 4), ("skill", "zither", 1)]


def test_one_client_does_not_fill_the_list(anyone, monkeypatch):
    monkeypatch.setattr(zero_results, "MAX_OF_CLIENT", 2)

    for text in ("oud", "lute", "harp", "viol"):
        search(anyone, text)
    assert {text for _, text, _ in counted()} == {"oud", "lute"}
    assert RateCount.objects.count() == 3
    search(anyone, "harp", address="192.0.2.2")

    assert {text for _, text, _ in counted()} == {"oud", "lute", "harp"}


def test_clients_are_counted_by_a_hash_with_the_secret_key(anyone, settings):
    search(anyone, "abacus")
    first = set(RateCount.objects.values_list("key", flat=True))
    settings.SECRET_KEY = "another one"
    search(anyone, "Abacus")

    assert len(first) == 2
    assert RateCount.objects.exclude(key__in=first).count() == 2


def test_nothing_is_counted_while_the_primary_is_known_to_be_down(anyone, monkeypatch):
    monkeypatch.setitem(monitor.problems, "default", "it does not respond")

    assert search(anyone, "abacus") == 0

    assert counted() == []


@pytest.mark.django_db(transaction=True)
def test_searches_at_once_are_counted_once(db):
    barrier = threading.Barrier(8)

    def count():
        barrier.wait(20)
        zero_results.count_zero_results("skill", "abacus", "192.0.2.1")
        connection.close()

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert counted() == [("skill", "abacus", 1)]


@pytest.mark.django_db(transaction=True)
def test_a_response_from_the_cache_is_not_counted_again(anyone):
    for _ in range(3):
        search(anyone, "abacus")

    assert counted() == [("skill", "abacus", 1)]


def test_a_search_over_mcp_or_on_the_website_counts_alike(anyone):
    call = {"name": "search_skills", "arguments": {"query": "abacus"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"MCP-Protocol-Version": "2025-06-18"}
    response = anyone.post("/mcp", message, headers=headers, REMOTE_ADDR="192.0.2.2")
    assert '"count":0' in response.content.decode().replace(" ", "").replace("\\", "")
    search(anyone, "abacus", "/skills")

    assert counted() == [("skill", "abacus", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "ada@operator.example",
        "call +44 20 7946 0958",
        "mkt_agent_G3BSsUjti31RLPlTGcasIPopxFfFokIV1SkaqW",
        "my token is mkt_agent_dXLh4RHHL7",
        "/claim/abcdefgh",
        "x" * 30,
    ],
)
def test_a_text_that_may_hold_a_secret_or_personal_data_is_not_kept(anyone, text):
    search(anyone, text)

    assert counted() == []


def test_a_long_text_is_cut_and_control_characters_are_spaces(anyone):
    search(anyone, "long word " * 10)
    search(anyone, "tab\tand\x01other")

    texts = {text for _, text, _ in counted()}
    assert texts == {"tab and other", ("long word " * 7)[:64].strip()}


def test_a_new_text_replaces_the_oldest_of_those_that_were_asked_for_least(anyone, monkeypatch):
    monkeypatch.setattr(zero_results, "MAX_ROWS", 3)
    for text, searches, hours in (("oud", 2, 9), ("lute", 1, 1), ("harp", 1, 2)):
        at = timezone.now() - timedelta(hours=hours)
        ZeroResultSearch.objects.create(
            kind="skill", text=text, searches=searches, last_searched_at=at
        )

    search(anyone, "oud")
    search(anyone, "oud", address="192.0.2.2")
    assert len(counted()) == 3
    search(anyone, "zither")
    assert [text for _, text, _ in counted()] == ["oud", "zither", "lute"]
    search(anyone, "viol")
    assert {text for _, text, _ in counted()} == {"oud", "zither", "viol"}


def test_a_search_is_answered_where_nothing_can_be_written(anyone):
    with connection.execute_wrapper(read_only):
        assert search(anyone, "abacus") == 0

    assert counted() == []


def read_only(execute, sql, *arguments):
    if "INSERT" in sql:
        raise DatabaseError("cannot execute INSERT in a read-only transaction")
    return execute(sql, *arguments)


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_another_who_counts(anyone):
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'search_zeroresultsearch'::regclass::oid::int")
        [(key,)] = cursor.fetchall()
        cursor.execute("SELECT pg_advisory_lock(%s, 0)", [key])
        answers = []

        def search_elsewhere():
            answers.append(search(anyone, "abacus"))
            connection.close()

        thread = threading.Thread(target=search_elsewhere)
        thread.start()
        thread.join(timeout=20)
        cursor.execute("SELECT pg_advisory_unlock(%s, 0)", [key])

    assert answers == [0]
    assert counted() == []


def test_the_list_is_only_read(admin_client, anyone):
    search(anyone, "abacus")
    row = ZeroResultSearch.objects.get()

    assert admin_client.get(f"{LIST}add/").status_code == 403
    page = admin_client.get(f"{LIST}{row.pk}/change/").content.decode()
    assert 'name="text"' not in page
    assert admin_client.post(f"{LIST}{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_a_search_that_nobody_asked_for_is_not_counted(anyone):
    assert anyone.get("/suggest", {"q": "abacus"}).status_code == 200
    assert counted() == []
