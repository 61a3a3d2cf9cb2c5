"""Which keys and tokens are found.

Each is put together from parts, so that no scanner takes this file for a leak.
"""

import base64
import json
from itertools import cycle, islice

import pytest

from catalogue.secret_shapes import secrets_in

LETTERS = "Q7wZ2kR9tB4mX1pL6vN3cJ8hG5dF0sYaEuTi"


def letters(count):
    return "".join(islice(cycle(LETTERS), count))


def jwt(header, payload):
    parts = [json.dumps(part).encode() for part in (header, payload)] + [b"signature" * 4]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def private_key(kind="", body=None):
    begin = "-----BEGIN " + f"{kind}PRIVATE KEY-----"
    return f"{begin}\n{letters(64) if body is None else body}\n-----END {kind}PRIVATE KEY-----"


SECRETS = [
    ("AKIA" + "Z2KR9TB4MX1PL6VN", "AWS access key, AKIA…"),
    ("ASIA" + "Z2KR9TB4MX1PL6VN", "AWS access key, ASIA…"),
    ("ghp_" + letters(36), "GitHub token, ghp_…"),
    ("gho_" + letters(36), "GitHub token, gho_…"),
    ("ghu_" + letters(36), "GitHub token, ghu_…"),
    ("ghs_" + letters(36), "GitHub token, ghs_…"),
    ("ghr_" + letters(76), "GitHub token, ghr_…"),
    ("github_pat_" + letters(22) + "_" + letters(59), "GitHub token, gith…"),
    ("glpat-" + letters(20), "GitLab token, glpa…"),
    ("glrt-" + letters(20), "GitLab token, glrt…"),
    ("xoxb-" + "2734-5810-" + letters(24), "Slack token, xoxb…"),
    ("xoxp-" + "2734-5810-9912-" + letters(32), "Slack token, xoxp…"),
    ("xapp-" + "1-A0273-5810-" + letters(64), "Slack token, xapp…"),
    ("xoxb-" + "1-" + letters(10), "Slack token, xoxb…"),
    (
        "https://hooks.slack.com/services/" + "T0273ABCD/B0581WXYZ/" + letters(24),
        "Slack webhook, hook…",
    ),
    ("AIza" + letters(35), "Google API key, AIza…"),
    ("AIza" + letters(4) + "\u00e9" * 31, "Google API key, AIza…"),
    ("GOCSPX-" + letters(28), "Google client secret, GOCS…"),
    ("sk-" + letters(48), "OpenAI key, sk-Q…"),
    ("sk-proj-" + letters(60) + "-" + letters(60), "OpenAI key, sk-p…"),
    ("sk-svcacct-" + letters(60), "OpenAI key, sk-s…"),
    ("sk-ant-" + "api03-" + letters(93) + "AA", "Anthropic key, sk-a…"),
    ("sk-ant-" + "admin01-" + letters(93) + "AA", "Anthropic key, sk-a…"),
    ("hf_" + letters(34), "Hugging Face token, hf_Q…"),
    ("npm_" + letters(36), "npm token, npm_…"),
    ("pypi-" + "AgEIcHlwaS5vcmc" + letters(70), "PyPI token, pypi…"),
    ("SG." + letters(22) + "." + letters(43), "SendGrid key, SG.Q…"),
    ("sk_live_" + letters(24), "Stripe key, sk_l…"),
    ("sk_test_" + letters(24), "Stripe key, sk_t…"),
    ("rk_live_" + letters(24), "Stripe key, rk_l…"),
    ("whsec_" + letters(32), "Stripe webhook secret, whse…"),
    (jwt({"alg": "HS256"}, {"sub": "31"}), "JSON Web Token, eyJh…"),
    (private_key(), "private key, ----…"),
    (private_key("RSA "), "private key, ----…"),
    (private_key("EC "), "private key, ----…"),
    (private_key("OPENSSH "), "private key, ----…"),
    (private_key("ENCRYPTED "), "private key, ----…"),
    (private_key().replace("\n", "\\n"), "private key, ----…"),
    (private_key("RSA ", f"Proc-Type: 4,ENCRYPTED\n\n{letters(64)}"), "private key, ----…"),
    ("-----BEGIN PGP " + f"PRIVATE KEY BLOCK-----\n\n{letters(64)}", "private key, ----…"),
    ("postgres://app:" + "tr0ub4dor@db.internal:5432/app", "URL with a password, post…"),
    ("https://deploy:" + "hunter2@git.example.com/a.git", "URL with a password, http…"),
    ("redis://:" + "tr0ub4dor@10.0.0.7:6379", "URL with a password, redi…"),
    ("amqps://a:" + "tr%40ub@[::1]/", "URL with a password, amqp…"),
    ("market_agent_" + letters(38), "token of this marketplace, _age…"),
]
NO_SECRETS = {
    "AWS's example": "AKIAIOSFODNN7" + "EXAMPLE",
    "another example of AWS": "AKIAI44QH8DHB" + "EXAMPLE",
    "a longer word": "AKIA" + "Z2KR9TB4MX1PL6VNX",
    "a shorter one": "AKIA" + "Z2KR9TB4MX1PL6V",
    "an identifier of a role": "AROA" + "Z2KR9TB4MX1PL6VN",
    "a key of crosses": "sk-xxxxxxxx",
    "a long key of crosses": "sk-" + "x" * 48,
    "a word for a token": "ghp_your_token_here",
    "a long word for a token": "ghp_your_token_here_with_more_than_36_letters",
    "a token of crosses": "ghp_" + "x" * 36,
    "GitHub's shape in a manual": "ghp_abcdefghijklmn" + "opqrstuvwxyzABCD012345",
    "a phrase": "sk-learn-pipelines-and-transformers-for-everyone",
    "a name of a task": "task-" + letters(40),
    "a webhook of zeros": "https://hooks.slack.com/services/" + "T00000000/B00000000/" + "X" * 24,
    "a token of words": "xoxb-your-bot-token-goes-here",
    "Stripe's example": "sk_test_4eC39HqLyj" + "WDarjtT1zdp7dc",
    "a key to publish": "pk_live_" + letters(24),
    "jwt.io": (
        jwt({"alg": "HS256"}, {}).partition(".")[0]
        + ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ."
        + letters(43)
    ),
    "a header without an algorithm": jwt({"typ": "JWT"}, {"sub": "31"}),
    "a payload that is a list": jwt({"alg": "HS256"}, ["31"]),
    "three parts that do not decode": "eyJ" + "hbGciOi!.eyJhbGciOiJ.signature" * 2,
    "parts that are no JSON": f"eyJ{letters(20)}.eyJ{letters(20)}.{letters(20)}",
    "the first line of a key in code": f"{'-' * 5}BEGIN PRIVATE KEY-----', severity=Severity.HIGH",
    "the first line of a key": "grep -- '-----BEGIN " + "PRIVATE KEY-----' file",
    "a key of dots": private_key(body="..."),
    "the start of a key": private_key(body="MIIEvQIBADANBgkqhkiG9w0B..."),
    "a word for a key": private_key(body="YourPrivateKeyContentHere"),
    "a public key": private_key().replace("PRIVATE", "PUBLIC"),
    "a word for a password": "postgres://user:password@localhost/db",
    "the password is the user": "postgres://postgres:postgres@localhost/db",
    "a variable": "postgres://app:$PASSWORD@db/app redis://:${REDIS_PASSWORD}@cache",
    "a template": "postgres://app:{password}@db/app mysql://u:<password>@h/db",
    "a name in capitals": "https://USER:API_TOKEN@host/",
    "crosses": "https://user:xxxx@host/ https://user:****@host/",
    "a port": "http://localhost:8000/@user http://[::1]:8000",
    "an image with a digest": "docker://ubuntu:22.04@sha256:0123",
    "an address": "mailto:a@example.com https://example.com/a:b@c",
}


def test_secrets():
    for secret, what in SECRETS:
        for text in ("{}", "KEY={}\n", '"{}"', "`{}`,", '{{"a": "b\\n{}"}}', "\u00e9 {}"):
            found = secrets_in("# A title\n" + text.format(secret))
            assert [found_what for _, found_what in found] == [what], text.format(secret)


def test_texts_without_secrets():
    for name, text in NO_SECRETS.items():
        assert secrets_in(text) == [], name
        assert secrets_in(f'key = "{text}"\n') == [], name


def test_positions():
    one, two = "ghp_" + letters(36), "npm_" + letters(36)
    assert secrets_in(f"a {two} b {one} c {two}") == [
        (2, "npm token, npm_…"),
        (45, "GitHub token, ghp_…"),
        (88, "npm token, npm_…"),
    ]


HOSTILE = ["eyJ", "eyJ.", ".eyJaaaaaaaa", "sk-", "xoxb-1-", "://:a", "aa://b:", "AKIA", "glpat-"]


@pytest.mark.parametrize("part", [*HOSTILE, "-----BEGIN " + "PRIVATE KEY-----", "a", "a:", "-"])
def test_a_long_hostile_text_is_read(part):
    """It would take minutes if the time were quadratic."""
    secrets_in(part * (2**20 // len(part)))
