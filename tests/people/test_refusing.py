"""Every sign-in that is refused (contract 32.3 to 32.6, 32.9)"""

import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode

import jwt
import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core import signing
from django.test import Client

from audit.models import AuditEvent
from demo.provider import DemoProvider
from people.exceptions import INVALID, LINKED, NO_GROUP, STALE, SWITCHED_OFF, TAKEN
from people.models import Person, Provider, username_of
from tests.people.conftest import SIGN_IN

HOUR = 3600


@pytest.fixture
def assert_token_refused(provider, browser_of, assert_refused):
    def assert_token_refused(reason, **changes):
        provider.changes = changes
        assert_refused(browser_of("ada").sign_in(), INVALID, f"the ID token is refused: {reason}")
        assert not User.objects.exists()

    return assert_token_refused


@pytest.mark.contract("32.6")
def test_claims_that_are_not_for_this_sign_in(assert_token_refused, rates, provider):
    rates(login_address="100/15m")
    now = int(time.time())
    client = "marketplace"
    refused = [
        ("its issuer is another one", {"iss": "https://other.example"}),
        ("its issuer is another one", {"iss": f"{provider.url}/"}),
        ("InvalidClaimError", {"nonce": "another"}),
        ("MissingClaimError", {"nonce": None}),
        ("InvalidClaimError", {"aud": "another"}),
        ("InvalidClaimError", {"aud": ["another"]}),
        ("MissingClaimError", {"aud": None}),
        ("MissingClaimError", {"aud": [client, "another"]}),  # without azp
        ("InvalidClaimError", {"aud": [client, "another"], "azp": "another"}),
        ("InvalidClaimError", {"azp": "another"}),
        ("its azp is another client", {"azp": ""}),
        ("its azp is another client", {"azp": []}),
        ("ExpiredSignatureError", {"iat": now - 400, "exp": now - 31}),
        ("ImmatureSignatureError", {"iat": now + 60, "exp": now + 300}),
        ("ImmatureSignatureError", {"nbf": now + 60}),
        ("exp, iat or nbf is missing", {"exp": None}),
        ("exp, iat or nbf is missing", {"iat": None}),
        ("exp, iat or nbf is missing", {"exp": str(now + 60)}),
        ("it is valid for too long", {"exp": now + 25 * HOUR}),
        ("MissingClaimError", {"sub": None}),
        ("its subject is empty", {"sub": ""}),
        ("its subject is empty", {"sub": "x" * 256}),
        ("iss, sub or jti is not a text", {"sub": 7}),
    ]
    for reason, changes in refused:
        assert_token_refused(reason, **changes)


@pytest.mark.contract("32.6")
def test_claims_that_are_accepted(provider, browser_of):
    now = int(time.time())
    for changes in (
        {"aud": ["marketplace"]},
        {"aud": ["marketplace", "another"], "azp": "marketplace"},
        {"iat": now + 20, "exp": now + HOUR},
        {"iat": now - 300, "exp": now - 20},
        {"exp": now + 20 * HOUR},
    ):
        provider.changes = changes
        assert browser_of("ada").sign_in().status_code == 302


@pytest.mark.contract("32.6")
def test_tokens_that_nobody_signed(provider, browser_of, assert_refused, monkeypatch):
    def unsigned(claims):
        return jwt.encode(claims, None, "none", {"kid": provider.key_id})

    def signed_with_the_secret(claims):
        return jwt.encode(claims, provider.secret, "HS256", {"kid": provider.key_id})

    def changed(claims):
        head, _, signature = DemoProvider.sign(provider, claims).split(".")
        other = urlsafe_b64encode(json.dumps(claims | {"groups": ["it"]}).encode())
        return ".".join([head, other.rstrip(b"=").decode(), signature])

    reasons = {
        unsigned: "it is not a JWT",
        signed_with_the_secret: "its algorithm is not allowed",
        changed: "InvalidSignatureError",
        lambda _: "text": "it is not a JWT",
        lambda _: "x" * 16_385: "it has 16,385 characters, of at most 16,384",
        lambda _: None: "there is none",
    }
    for sign, reason in reasons.items():
        monkeypatch.setattr(provider, "sign", sign)
        response = browser_of("ada").sign_in()
        assert_refused(response, INVALID, f"the ID token is refused: {reason}")


@pytest.mark.contract("32.3", "32.5", "32.15")
def test_another_state_and_another_browser(browser_of, assert_refused):
    browser = browser_of("ada")
    address = browser.lead(browser.get(SIGN_IN))

    # Login CSRF: somebody else's callback, in a browser that began no or another sign-in.
    assert_refused(browser_of("ada").come_back(address), STALE, "no such sign-in")
    victim = browser_of("ada")
    victim.get(SIGN_IN)
    assert_refused(victim.come_back(address), STALE, "no such sign-in")
    state = dict(pair.split("=") for pair in address.partition("?")[2].split("&"))["state"]
    for other in (None, "", "x" * 43, state[:8] + "x" * 35):
        reason = "the state is another one" if other == state[:8] + "x" * 35 else "no such sign-in"
        assert_refused(browser.come_back(address, state=other), STALE, reason)
    assert not User.objects.exists()
    # Any page of the web can make a browser open the callback, so that fills no audit trail.
    assert not AuditEvent.objects.exists()
    assert browser.come_back(address).status_code == 302


@pytest.mark.contract("32.3")
def test_a_changed_and_an_old_cookie(browser_of, assert_refused, monkeypatch):
    browser = browser_of("ada")
    address = browser.lead(browser.get(SIGN_IN))
    [(name, value)] = [(name, cookie.value) for name, cookie in browser.cookies.items()]
    data, stamp, signature = value.split(":")
    secret, _, is_silent = json.loads(urlsafe_b64decode(data + "=="))
    flow = [secret, "//evil.example", is_silent]
    other = signing.b64_encode(json.dumps(flow).encode()).decode()

    browser.cookies[name] = f"{other}:{stamp}:{signature}"
    assert_refused(browser.come_back(address), STALE, "no such sign-in")
    browser.cookies[name] = value
    now = time.time()
    with monkeypatch.context() as later:
        later.setattr(signing.time, "time", lambda: now + 601)
        assert_refused(browser.come_back(address), STALE, "no such sign-in")
    assert browser.come_back(address).status_code == 302


@pytest.mark.contract("32.5")
def test_a_callback_works_once(browser_of, assert_refused):
    browser = browser_of("ada")
    address = browser.lead(browser.get(SIGN_IN))
    [(name, value)] = [(name, cookie.value) for name, cookie in browser.cookies.items()]
    assert browser.come_back(address).status_code == 302

    assert_refused(browser.come_back(address), STALE, "no such sign-in")
    # Even somebody who has kept the cookie cannot use the code again.
    thief = browser_of()
    thief.cookies[name] = value
    reason = "the provider refuses the code: 'invalid_grant'"
    assert_refused(thief.come_back(address), INVALID, reason)


@pytest.mark.contract("32.2", "32.5")
def test_the_code_of_another_sign_in(browser_of, assert_refused):
    browser, other = browser_of("ada"), browser_of("grace")
    address = browser.lead(browser.get(SIGN_IN))
    stolen = other.lead(other.get(SIGN_IN))
    code = stolen.rpartition("code=")[2]

    reason = "the provider refuses the code: 'invalid_grant'"  # by its verifier
    assert_refused(browser.come_back(address, code=code), INVALID, reason)


@pytest.mark.contract("32.5")
def test_the_answer_of_another_issuer(provider, browser_of, assert_refused):
    mixed_up = {"iss": "https://other.example"}
    reason = "the answer is of another issuer"
    assert_refused(browser_of("ada").sign_in(**mixed_up), INVALID, reason)
    assert_refused(browser_of("ada").sign_in(iss=None), INVALID, reason)

    # A provider that does not say that it sends it.
    provider.documents = {"authorization_response_iss_parameter_supported": False}
    Provider.objects.all().delete()
    assert_refused(browser_of("ada").sign_in(**mixed_up), INVALID, reason)
    assert browser_of("ada").sign_in(iss=None).status_code == 302


@pytest.mark.contract("32.5")
def test_an_answer_without_a_code(browser_of, assert_refused):
    for code in (None, ""):
        assert_refused(browser_of("ada").sign_in(code=code), INVALID, "the answer has no code")
    for error, shown in {
        "access_denied": "access_denied",
        "<script>": "an unknown error",
    }.items():
        sentence = f"The identity provider did not sign you in: {shown}. Sign in again."
        assert_refused(browser_of("ada").sign_in(error=error), sentence)


@pytest.mark.contract("32.9")
def test_nobody_without_a_mapped_group(provider, browser_of, assert_refused, settings):
    settings.STAFF_CONTACT = "staff@market.example"
    for groups in (["guests"], [], None, 7, [["writers"]], "Writers", "writers "):
        provider.people["mallory"]["groups"] = groups
        response = browser_of("mallory").sign_in()
        assert 'href="mailto:staff@market.example">ask the people' in response.content.decode()
        assert_refused(response, NO_GROUP)

    assert not User.objects.exists()


@pytest.mark.contract("32.9")
def test_a_list_of_groups_that_is_only_linked(provider, browser_of, assert_refused):
    provider.changes = {"groups": None, "_claim_names": {"groups": "src1"}}

    assert_refused(browser_of("ada").sign_in(), LINKED)

    assert not User.objects.exists()


@pytest.mark.contract("32.9")
def test_somebody_who_left_the_groups_loses_roles_and_sessions(
    provider, ada, browser_of, assert_refused
):
    provider.people["ada"]["groups"] = ["guests"]

    assert_refused(browser_of("ada").sign_in(), NO_GROUP)

    user = User.objects.get()
    assert (user.is_staff, user.is_superuser, user.groups.count()) == (False, False, 0)
    assert Person.objects.get().groups == []
    assert not Session.objects.exists()
    assert ada.get("/admin/")["Location"] == "/admin/login/?next=/admin/"


@pytest.mark.contract("32.9")
def test_a_user_that_staff_have_switched_off(ada, browser_of, assert_refused):
    User.objects.update(is_active=False)

    assert_refused(browser_of("ada").sign_in(), SWITCHED_OFF)


@pytest.mark.contract("32.7")
def test_a_local_user_of_the_same_name_is_somebody_else(provider, browser_of, assert_refused):
    User.objects.create_superuser(username_of(provider.url, "ada"), password="right-password")
    User.objects.create_superuser("Ada Lovelace", email="ada@company.example")

    assert_refused(browser_of("ada").sign_in(), TAKEN)
    assert browser_of("grace").sign_in().status_code == 302

    assert Person.objects.get().user.username == username_of(provider.url, "grace")
    form = {"username": username_of(provider.url, "ada"), "password": "right-password"}
    assert Client().post("/admin/login/", form).status_code == 200
