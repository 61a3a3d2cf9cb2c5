"""Tokens that are not what they seem get one and the same 401 (contract 31)."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives import serialization

from agents.models import AgentToken
from tests.publishers.issuer import CI, HOUR, encoded

pytestmark = pytest.mark.usefixtures("publisher")
SECOND = timedelta(seconds=1)
DEEP = b'{"a":' * 2000 + b"1" + b"}" * 2000
OTHER = "is another one"


@pytest.mark.contract("31.4")
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"iss": "https://token.actions.githubusercontent.com"}, "no publisher has its issuer"),
        ({"repository_id": "75"}, "no publisher has its issuer and project"),
        ({"repository_id": None}, "no publisher has its issuer and project"),
        ({"repository_id": 74}, "no publisher has its issuer and project"),
        ({"repository_id": ["74"]}, "no publisher has its issuer and project"),
        ({"repository_id": "74 "}, "no publisher has its issuer and project"),
        ({"repository_id": None, "project_id": "74"}, f"repository_id {OTHER}"),
        ({"ref": "refs/heads/other"}, f"ref {OTHER}"),
        ({"ref": "refs/heads/MAIN"}, f"ref {OTHER}"),
        ({"ref": "refs/heads/m\u0430in"}, f"ref {OTHER}"),
        ({"ref": "refs/heads/main\u200b"}, f"ref {OTHER}"),
        ({"ref": None}, f"ref {OTHER}"),
        ({"ref": {"$ne": ""}}, "its run is one of a pull request"),
        ({"ref_type": "tag"}, f"ref_type {OTHER}"),
        ({"ref_type": None}, f"ref_type {OTHER}"),
        ({"aud": "https://other.example"}, f"audience {OTHER}"),
        ({"aud": "http://testserver/"}, f"audience {OTHER}"),
        ({"aud": ["http://testserver", "https://other.example"]}, f"audience {OTHER}"),
        ({"aud": [["http://testserver"]]}, f"audience {OTHER}"),
        ({"aud": {"http://testserver": 1}}, f"audience {OTHER}"),
        ({"aud": []}, f"audience {OTHER}"),
        ({"aud": None}, f"audience {OTHER}"),
    ],
)
def test_claims_match_exactly(issuer, assert_refused, changes, reason):
    assert_refused(issuer.token(**changes), reason)
    assert issuer.fetched == []


@pytest.mark.contract("31.4")
def test_one_audience_may_be_in_a_list(issuer, exchange):
    assert exchange(issuer.token(aud=["http://testserver"])).status_code == 201


@pytest.mark.contract("31.5")
@pytest.mark.parametrize(
    "changes",
    [
        {"event_name": "pull_request", "ref": "refs/pull/7/merge"},
        {"event_name": "pull_request_target"},
        {"event_name": "pull_request_review"},
        {"event_name": "merge_group"},
        {"event_name": "workflow_run"},
        {"event_name": "issue_comment"},
        {"event_name": ["push"]},
        {"event_name": "pull_request", "base_ref": "main"},
        {"head_ref": "feature"},
        {"ref": "refs/pull/7/merge"},
        {"ref": "refs/heads/gh-readonly-queue/main/pr-7-9b2f"},
        {"ref": "refs/merge-requests/7/train"},
        {"ref": "refs/pipelines/7"},
        {"ref": ["refs/pull/7/merge"]},
        {"ref_path": ["refs/merge-requests/7/head"]},
        {"head_ref": ["feature"]},
        {"base_ref": False},
        {"sub": "repo:acme/skills:pull_request"},
        {"pipeline_source": "merge_request_event"},
        {"pipeline_source": "external_pull_request_event"},
        {"pipeline_source": "parent_pipeline"},
        {"ref_path": "refs/merge-requests/7/head"},
    ],
    ids=str,
)
def test_a_run_of_a_pull_request_never_publishes(issuer, assert_refused, publisher, changes):
    publisher.any_branch, publisher.ref = True, ""
    publisher.save()

    assert_refused(issuer.token(**changes), "its run is one of a pull request")


@pytest.mark.contract("31.6")
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"exp": None}, "exp, iat or nbf"),
        ({"iat": None}, "exp, iat or nbf"),
        ({"exp": "99999999999"}, "exp, iat or nbf"),
        ({"iat": "1795790000"}, "exp, iat or nbf"),
        ({"nbf": "0"}, "exp, iat or nbf"),
        ({"iat": True}, "exp, iat or nbf"),
        ({"exp": 10**40}, "exp, iat or nbf"),
        ({"iat": -1}, "exp, iat or nbf"),
        ({"lasts": HOUR + 1}, "too long"),
        ({"lasts": 0}, "too long"),
        ({"iat": -400 * SECOND, "exp": -40 * SECOND}, "ExpiredSignatureError"),
        ({"iat": 300 * SECOND, "exp": 400 * SECOND}, "ImmatureSignatureError"),
        ({"nbf": 300 * SECOND}, "ImmatureSignatureError"),
        ({"jti": ""}, "jti is empty"),
        ({"jti": 5}, "jti is not a text"),
        ({"sub": 5}, "jti is not a text"),
        ({"iss": None}, "jti is not a text"),
        ({"iss": ["https://ci.example"]}, "jti is not a text"),
    ],
)
def test_times_and_identifiers_are_what_the_standard_says(issuer, assert_refused, changes, reason):
    assert_refused(issuer.token(**changes), reason)


@pytest.mark.contract("31.6")
@pytest.mark.parametrize("changes", [{"exp": -15 * SECOND}, {"iat": 15 * SECOND}])
def test_clocks_may_differ_by_half_a_minute(issuer, exchange, changes):
    about = {"iat": -200 * SECOND, "exp": 200 * SECOND} | changes
    assert exchange(issuer.token(**about)).status_code == 201


@pytest.mark.contract("31.6")
def test_a_token_has_up_to_16_kib(issuer, exchange):
    token = issuer.token(more="a" * 11_500)

    assert len(token) > 15_000
    assert exchange(token).status_code == 201


@pytest.mark.contract("31.6")
@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
def test_three_algorithms(issuer, exchange, algorithm):
    issuer.rotate(algorithm)

    assert exchange(issuer.token()).status_code == 201


def without_signature(issuer):
    return issuer.token(headers={"alg": "none"}).rpartition(".")[0] + "."


def public_key_as_secret(issuer):
    """HS256 with the public key, which everybody has, as the shared secret."""
    encoding = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    secret = issuer.key.public_key().public_bytes(*encoding)
    header = {"alg": "HS256", "kid": issuer.key_id}
    signed = b".".join([encoded(header), encoded(issuer.claims())])
    signature = hmac.digest(secret, signed, hashlib.sha256)
    return b".".join([signed, encoded(signature)]).decode()


def key_of_another(issuer, **headers):
    """Signed by somebody else, whose header says where the key is."""
    stranger = CI(issuer.url)
    stranger.rotate(number=2)
    return stranger.token(headers=headers)


def jwk_in_the_header(issuer):
    stranger = CI(issuer.url)
    stranger.rotate(number=2)
    return key_of_another(issuer, jwk=stranger.keys[0])


TRICKS = {
    "alg none": (without_signature, "not a JWT"),
    "alg None": (lambda issuer: issuer.token(headers={"alg": "None"}), "algorithm"),
    "alg null": (lambda issuer: issuer.token(headers={"alg": None}), "algorithm"),
    "alg list": (lambda issuer: issuer.token(headers={"alg": ["ES256"]}), "algorithm"),
    "alg of no key": (lambda issuer: issuer.token(headers={"alg": "RS256"}), "no such key"),
    "alg ES384": (lambda issuer: issuer.token(headers={"alg": "ES384"}), "algorithm"),
    "HS256 with the public key": (public_key_as_secret, "algorithm"),
    "another key": (key_of_another, "InvalidSignatureError"),
    "jwk": (jwk_in_the_header, "InvalidSignatureError"),
    "jku": (lambda issuer: key_of_another(issuer, jku=issuer.url + "/evil"), "InvalidSignature"),
    "x5u": (lambda issuer: key_of_another(issuer, x5u=issuer.url + "/evil"), "InvalidSignature"),
    "crit": (lambda issuer: issuer.token(headers={"crit": ["exp"]}), "critical"),
    "crit b64": (lambda issuer: issuer.token(headers={"crit": ["b64"], "b64": True}), "critical"),
    "b64": (lambda issuer: issuer.token(headers={"b64": False}), "b64"),
    "kid is a path": (lambda issuer: issuer.token(headers={"kid": "../../etc/passwd"}), "such key"),
    "kid is a URL": (lambda issuer: issuer.token(headers={"kid": issuer.url}), "such key"),
    "kid is SQL": (lambda issuer: issuer.token(headers={"kid": "' OR 1=1 --"}), "such key"),
    "kid is a list": (lambda issuer: issuer.token(headers={"kid": ["first"]}), "names no key"),
    "kid is missing": (lambda issuer: issuer.token(headers={"kid": None}), "names no key"),
    "other case of kid": (lambda issuer: issuer.token(headers={"kid": "First"}), "such key"),
    "claims are a list": (lambda issuer: issuer.sign([issuer.claims()]), "not a JWT"),
    "claims are no JSON": (lambda issuer: issuer.sign(b"\xff{"), "not a JWT"),
    "claims are deep": (lambda issuer: issuer.sign(DEEP), "not a JWT"),
    "NaN": (lambda issuer: issuer.sign(b'{"exp":NaN}'), "not a JWT"),
    "NUL": (lambda issuer: issuer.token(ref="refs/heads/main\0"), "not a JWT"),
    "huge": (lambda issuer: issuer.token(more="a" * 12_000), "of at most 16,384"),
    "five parts": (lambda issuer: issuer.token() + ".a.b", "not a JWT"),
    "blank": (lambda issuer: issuer.token() + " ", "not a JWT"),
    "padding": (lambda issuer: issuer.token() + "=", "not a JWT"),
    "unicode": (lambda issuer: issuer.token().replace("e", "\u0435", 1), "not a JWT"),
    "nothing": (lambda issuer: "..", "not a JWT"),
}


@pytest.mark.contract("31.6", "31.8")
@pytest.mark.parametrize("trick", TRICKS)
def test_tricks(issuer, assert_refused, agent, trick):
    make, reason = TRICKS[trick]

    assert_refused(make(issuer), reason)
    assert AgentToken.objects.count() == 1
    assert "/evil" not in issuer.fetched


@pytest.mark.contract("31.6")
@pytest.mark.parametrize("name", ["aud", "repository_id", "exp", "iss", "event_name"])
def test_a_claim_that_is_there_twice_is_refused(issuer, assert_refused, name):
    claims = json.dumps(issuer.claims()).encode()

    twice = claims[:-1] + f', "{name}": {json.dumps(issuer.claims()[name])}}}'.encode()
    assert_refused(issuer.sign(twice), "not a JWT")


@pytest.mark.contract("31.7")
def test_another_spelling_of_the_signature_is_the_same_token(issuer, exchange, assert_refused):
    """ES256 has a mirrored form of each signature."""
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    token = issuer.token(jti=None)
    signed, _, text = token.rpartition(".")
    signature = urlsafe_b64decode(text + "==")
    other = order - int.from_bytes(signature[32:])
    mirrored = encoded(signature[:32] + other.to_bytes(32)).decode()

    assert exchange(token).status_code == 201
    assert_refused(f"{signed}.{mirrored}", "exchanged before")
