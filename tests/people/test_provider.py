"""The provider's documents, keys and codes, and a provider that is down (contract 32.4, 32.6)"""

from datetime import timedelta

import jwt
import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from marketplace import documents
from people.exceptions import INVALID
from people.models import Provider
from tests.people.conftest import CALLBACK, SIGN_IN
from tests.publishers.issuer import jwk_of, private_key


@pytest.mark.contract("32.6")
def test_rotated_keys(provider, browser_of, assert_refused):
    assert browser_of("ada").sign_in().status_code == 302
    provider.rotate()

    # Keys are fetched once a minute at most.
    assert_refused(browser_of("ada").sign_in(), INVALID, "its issuer has no such key")
    aged = Provider.objects.get()
    Provider.objects.update(tried_at=aged.tried_at - timedelta(seconds=61))

    assert browser_of("ada").sign_in().status_code == 302


@pytest.mark.contract("32.6")
def test_a_provider_with_one_key_need_not_name_it(
    provider, browser_of, assert_refused, monkeypatch
):
    def unnamed(claims):
        return jwt.encode(claims, provider.key, "ES256")

    [key] = provider.keys()["keys"]
    nameless = {name: value for name, value in key.items() if name != "kid"}
    other = jwk_of(private_key("EdDSA"), "EdDSA", "other")
    monkeypatch.setattr(provider, "sign", unnamed)
    for keys in ([key], [nameless], [nameless, other]):
        monkeypatch.setattr(provider, "keys", lambda keys=keys: {"keys": keys})
        Provider.objects.all().delete()
        assert browser_of("ada").sign_in().status_code == 302

    provider.rotate()
    monkeypatch.undo()
    monkeypatch.setattr(provider, "sign", unnamed)
    Provider.objects.update(tried_at=timezone.now() - timedelta(seconds=61))
    assert browser_of("ada").sign_in().status_code == 302

    monkeypatch.setattr(provider, "keys", lambda: {"keys": [key, key | {"kid": "second"}]})
    Provider.objects.all().delete()
    assert_refused(browser_of("ada").sign_in(), INVALID, "its issuer has no such key")


DOWN = "The identity provider cannot be reached. Try again in a minute."


@pytest.mark.contract("32.4")
def test_discovery_happens_at_the_first_use_and_names_the_same_issuer(provider, browser_of):
    assert provider.requests == []
    url = provider.url
    for changes, status in (
        ({"issuer": f"{url}/"}, 503),
        ({"token_endpoint": "https://other.example/token"}, 503),
        ({"authorization_endpoint": "https://other.example/authorize"}, 503),
        ({"jwks_uri": "https://other.example/keys"}, 503),
        ({"token_endpoint": None}, 503),
        ({}, 302),
    ):
        provider.documents = changes
        Provider.objects.all().delete()
        response = browser_of("ada").get(SIGN_IN)
        assert response.status_code == status
        if status == 503:
            assert response.context["sentence"] == DOWN
            assert 1 <= int(response["Retry-After"]) <= 60


@pytest.mark.contract("32.4")
def test_an_issuer_that_is_down(provider, browser_of, assert_refused, settings):
    browser = browser_of("ada")
    address = browser.lead(browser.get(SIGN_IN))
    provider.__exit__()

    # Its documents are known, its codes are not.
    assert_refused(browser.come_back(address), DOWN, "cannot be reached", status=503)
    assert browser_of("ada").get("/admin/login/").status_code == 200
    Provider.objects.all().delete()
    assert_refused(browser_of("ada").get(SIGN_IN), DOWN, "cannot be fetched", status=503)
    assert not User.objects.exists()


@pytest.mark.contract("32.4")
def test_answers_to_the_exchange_that_are_of_no_use(
    provider, browser_of, assert_refused, monkeypatch
):
    exchange = provider.exchange
    answers = {
        "there is none": [(200, {}), (200, {"id_token": None}), (400, {"unknown": True})],
        "the provider refuses the code: 7": [(400, {"error": 7}), (200, {"error": 7})],
        "the provider refuses the code: 'invalid_client'": [
            (401, {"error": "invalid_client", "error_description": text})
            for text in ('AADSTS7000215: not "valid".\r\nTrace ID: 1', "Ungültig", 7)
        ],
        "answers 500": [(500, {"error": "server_error"}), (500, "text")],
        "answers 200, and no JSON object": [(200, [])],
        "answers 302": [(302, "moved")],
    }
    for reason, rows in answers.items():
        for status, body in rows:
            monkeypatch.setattr(provider, "exchange", lambda *_, s=status, b=body: (s, b, {}))
            is_down = reason.startswith("answers")
            expected = (DOWN, reason, 503) if is_down else (INVALID, reason, 403)
            assert_refused(browser_of("ada").sign_in(), *expected)

    def odd(*sent):
        status, body, headers = exchange(*sent)
        return status, body | {"expires_in": "soon", "expires_at": []}, headers

    monkeypatch.setattr(provider, "exchange", odd)
    assert browser_of("ada").sign_in().status_code == 302


@pytest.mark.contract("32.4")
def test_the_callback_waits_for_its_turn_in_the_browser(browser_of):
    browser = browser_of("ada")
    address = browser.lead(browser.get(SIGN_IN))

    with documents.turn:
        busy = browser.come_back(address)

    assert_waits(browser, busy)


@pytest.mark.contract("32.4")
def test_the_callback_waits_for_documents_that_another_request_fetches(browser_of):
    browser = browser_of("ada")
    old = timezone.now() - timedelta(hours=2)
    for tried_at in (old, timezone.now()):  # by a thread of this process, and by another process
        address = browser.lead(browser.get(SIGN_IN))
        Provider.objects.update(fetched_at=old, tried_at=tried_at)
        with documents.turn:
            busy = browser.come_back(address)
        Provider.objects.update(tried_at=old)

        assert_waits(browser, busy)


@pytest.mark.contract("32.4")
def test_the_way_there_waits_for_documents_that_another_request_fetches(ada, age):
    age(ada)
    Provider.objects.update(fetched_at=None, tried_at=None)
    pages = ["/admin/catalogue/skill/?q=pdf", f"{SIGN_IN}?next=/admin/"]
    with documents.turn:
        waiting = [ada.get(page) for page in pages]

    for page, busy in zip(pages, waiting, strict=True):
        assert busy.context["address"] == page
        assert_waits(ada, busy)


def assert_waits(browser, busy):
    assert (busy.status_code, busy["Retry-After"], {**busy.cookies}) == (503, "1", {})
    target = busy.context["address"].replace("&", "&amp;")
    assert f'<meta http-equiv="refresh" content="1;url={target}">' in busy.content.decode()
    assert browser.get(busy.context["address"]).status_code == 302


@pytest.mark.contract("32.6")
def test_failed_exchanges_are_limited_by_address(provider, browser_of, rates):
    rates(login_address="2/15m")
    provider.changes = {"nonce": "another"}
    for _ in range(2):
        assert browser_of("ada").sign_in().status_code == 403
    provider.changes = {}

    response = browser_of("ada").sign_in()

    assert response.status_code == 429
    assert 1 <= int(response["Retry-After"]) <= 900
    assert "Too many sign-ins have failed here." in response.context["sentence"]
    assert CALLBACK not in response.content.decode()


@pytest.mark.contract("32.6")
def test_answers_without_a_code_are_limited_too_but_no_looks(browser_of, ada, age, rates):
    rates(login_address="2/15m")
    age(ada)
    ada.person = None
    address = ada.lead(ada.get("/admin/"))
    cookies = dict(ada.cookies)
    for _ in range(3):
        ada.cookies.update(cookies)
        assert ada.come_back(address).status_code == 403

    statuses = [browser_of("ada").sign_in(error="access_denied").status_code for _ in range(3)]

    assert statuses == [403, 403, 429]
