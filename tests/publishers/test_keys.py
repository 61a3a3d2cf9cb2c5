"""How often the keys of an issuer are fetched, and by whom (contract 31.9 to 31.11)"""

import socket
from datetime import timedelta
from threading import Event

import pytest
from django.db.models import F

from marketplace import documents
from publishers.models import Issuer
from tests.publishers.issuer import BOTH, CI

MINUTE = timedelta(seconds=61)


def pass_time(time=MINUTE):
    """Let the last fetch of each issuer have been earlier."""
    Issuer.objects.update(tried_at=F("tried_at") - time, fetched_at=F("fetched_at") - time)


@pytest.mark.contract("31.10")
@pytest.mark.usefixtures("publisher")
def test_keys_are_fetched_once(issuer, exchange):
    for _ in range(3):
        assert exchange(issuer.token()).status_code == 201

    assert issuer.fetched == BOTH


@pytest.mark.contract("31.10")
@pytest.mark.usefixtures("publisher")
def test_an_unknown_key_is_looked_for_once_a_minute(issuer, exchange, assert_refused):
    assert exchange(issuer.token()).status_code == 201
    old = issuer.token()
    issuer.rotate(number=2, key_id="second")

    for _ in range(2):
        assert_refused(issuer.token(), "no such key")
    assert issuer.fetched == BOTH
    pass_time()
    assert exchange(issuer.token()).status_code == 201
    assert issuer.fetched == BOTH * 2
    assert_refused(old, "no such key")
    assert issuer.fetched == BOTH * 2


@pytest.mark.contract("31.10")
@pytest.mark.usefixtures("publisher")
def test_a_key_that_was_withdrawn_is_refused_after_an_hour(issuer, exchange, assert_refused):
    assert exchange(issuer.token()).status_code == 201
    old = CI(issuer.url)
    issuer.rotate(number=2, key_id="second")

    pass_time()
    assert exchange(old.token()).status_code == 201
    pass_time(timedelta(hours=1))
    assert_refused(old.token(), "no such key")


@pytest.mark.contract("31.11")
@pytest.mark.usefixtures("publisher")
def test_an_issuer_that_is_away(issuer, exchange, assert_unavailable):
    answer = issuer.answers.pop(issuer.KEYS)
    assert_unavailable(low=60)
    issuer.answers[issuer.KEYS] = answer

    assert_unavailable()
    assert issuer.fetched == BOTH
    pass_time()
    assert exchange(issuer.token()).status_code == 201


@pytest.mark.contract("31.11")
@pytest.mark.usefixtures("publisher")
def test_known_keys_do_not_need_the_issuer(issuer, exchange, assert_unavailable):
    assert exchange(issuer.token()).status_code == 201
    issuer.answers.clear()
    pass_time()

    assert exchange(issuer.token()).status_code == 201
    issuer.key_id = "second"
    assert_unavailable()
    issuer.key_id = "first"
    assert exchange(issuer.token()).status_code == 201


@pytest.mark.contract("31.9")
@pytest.mark.usefixtures("publisher")
def test_one_thread_of_a_process_fetches(issuer, assert_unavailable, exchange):
    with documents.turn:
        assert_unavailable(high=3)
    assert issuer.fetched == []

    assert exchange(issuer.token()).status_code == 201


@pytest.mark.contract("31.10")
@pytest.mark.usefixtures("publisher")
def test_an_unknown_key_is_refused_while_another_issuer_is_asked(issuer, exchange, assert_refused):
    assert exchange(issuer.token()).status_code == 201
    issuer.key_id = "unknown"

    with documents.turn:
        assert_refused(issuer.token(), "no such key")


@pytest.mark.contract("31.9", "31.11")
@pytest.mark.usefixtures("publisher")
def test_a_name_that_does_not_resolve_keeps_no_other_issuer_waiting(
    issuer, exchange, agent, monkeypatch
):
    is_over, resolve, names = Event(), socket.getaddrinfo, []

    def hang(name, *arguments, **options):
        if name != "ci.example":
            return resolve(name, *arguments, **options)
        names.append(name)
        is_over.wait(60)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    slow = CI("https://ci.example")
    slow.publisher(agent)

    with monkeypatch.context() as patch:
        patch.setattr(documents, "SECONDS", 0.1)
        assert exchange(slow.token()).status_code == 503
    assert exchange(issuer.token()).status_code == 201
    pass_time()
    assert exchange(slow.token()).status_code == 503
    assert names == ["ci.example"]
    is_over.set()
