"""No log line contains a token or a claim secret (contract 4.9)"""

import io
import logging
import re
import sys
from base64 import b32encode

import pytest
from django.contrib.auth.models import User
from django_otp.plugins.otp_totp.models import TOTPDevice

from marketplace.logging import MaskedFormatter
from marketplace.secrets import mask

pytestmark = pytest.mark.servers

ME = "/api/v1/agents/me"


@pytest.fixture
def log(monkeypatch):
    """The output of the configured handler."""
    (handler,) = [
        handler
        for handler in logging.getLogger().handlers
        if isinstance(handler.formatter, MaskedFormatter)
    ]
    stream = io.StringIO()
    monkeypatch.setattr(handler, "stream", stream)
    return stream


@pytest.fixture
def secrets(agent):
    return [agent.token.text, agent.token.text.rpartition("_")[2], agent.claim.secret]


@pytest.mark.contract("4.9")
@pytest.mark.parametrize("prefix", ["mkt", "Acme7", "a1"])
@pytest.mark.parametrize(
    "line",
    [
        "Authorization: Bearer {}",
        "{}",
        '"{}"',
        "('{}',)",
        "before {} after {}",
        "?token={}&x=1",
        "token={}\nnext line",
        "http://localhost/{}/path",
    ],
)
def test_tokens_of_any_prefix_are_masked(prefix, line):
    secret = "4fKd" * 9 + "Xw"

    assert secret not in mask(line.format(*[f"{prefix}_agent_{secret}"] * 2))
    assert f"{prefix}_agent_[masked]" in mask(line.format(*[f"{prefix}_agent_{secret}"] * 2))


@pytest.mark.parametrize(
    "line", ["GET /claim/{} 200", "https://market.example/claim/{}", "/claim/{}/"]
)
def test_claim_secrets_are_masked(line):
    masked = mask(line.format("4fKd" * 8))

    assert masked == line.format("[masked]")


@pytest.mark.parametrize(
    "line",
    [
        *("agent_4fKd4fKd4fKd4fKd", "GET /api/v1/agents/me 200", "/claims", "the agent_id 5"),
        "[0123456789abcdef0123456789abcdef] is the ID of a request",
        "Issued the token mkt_agent_4fKd…Xw3a.",
    ],
)
def test_everything_else_is_unchanged(line):
    assert mask(line) == line


@pytest.mark.parametrize("text", ["0123456789abcdef" * 2 + "0", "0123456789ABCDEF" * 2, "e" * 31])
def test_a_text_that_resembles_an_id_is_masked(text):
    assert mask(f"x {text} y") == "x [masked] y"


def test_the_key_of_a_second_factor_is_masked():
    device = TOTPDevice(user=User(username="ada"))
    key = b32encode(device.bin_key).decode()
    for text in (device.key, key, device.config_url, repr(device.bin_key.hex())):
        masked = mask(f"x {text} y")
        assert "[masked]" in masked
        assert device.key not in masked
        assert key not in masked


def test_arguments_of_a_line_are_masked(log, secrets):
    logging.getLogger("anything").warning("refused %s for %s", *secrets[::2])

    assert "refused mkt_agent_[masked] for" in log.getvalue()
    assert secrets[0] not in log.getvalue()


def fail(secret, claim_secret):
    """An error with a cause, each with a secret in its text."""
    try:
        {}[secret]
    except KeyError as error:
        raise ValueError(f"/claim/{claim_secret}") from error


def test_tracebacks_are_masked_with_their_causes(log, secrets):
    try:
        fail(secrets[0], secrets[2])
    except ValueError:
        logging.getLogger("anything").exception("crashed with %s", secrets[0])

    text = log.getvalue()
    assert "KeyError: 'mkt_agent_[masked]'" in text
    assert "ValueError: /claim/[masked]" in text
    assert not [secret for secret in secrets if secret in text]


def test_stack_information_is_masked(log, secrets):
    logging.getLogger("anything").info("here %s", secrets[0], stack_info=True)

    assert "Stack (most recent call last)" in log.getvalue()
    assert secrets[1] not in log.getvalue()


def test_a_record_that_another_handler_has_formatted_is_masked_too(secrets):
    record = logging.LogRecord("x", logging.INFO, "x", 1, "%s", (secrets[0],), None)
    try:
        fail(*secrets[1:])
    except ValueError:
        record.exc_info = sys.exc_info()

    # A formatter leaves the traceback's text on the record.
    assert secrets[2] in logging.Formatter().format(record)
    assert secrets[2] not in MaskedFormatter().format(record)


@pytest.mark.parametrize("body", ["name=" + "x" * 3_000_000, "&".join(["name=x"] * 2000)])
def test_a_form_that_is_too_large_is_no_crash(log, anyone, body):
    response = anyone.generic("POST", "/operator", body, "application/x-www-form-urlencoded")

    assert response.status_code in {400, 403}
    assert "Traceback" not in log.getvalue()


def test_pages_and_the_api_are_logged_and_what_they_load_is_not(own_server_of):
    server = own_server_of()
    logged = ["/", "/skills?q=1", "/api/v1/skills", "/static", "/healthz/x", "/nothing"]
    quiet = ["/static/icon.svg", "/static/none.css?v=1", "/favicon.ico", "/healthz", "/readyz/"]

    for path in [*quiet, *logged]:
        server.request("GET", path)
    server.stop()

    paths = re.findall(r'gunicorn\.access.*"GET (\S+)"', server.log.read_text())
    # Two workers write the log, in any order.
    assert sorted(paths) == sorted(path.partition("?")[0] for path in logged)


def test_the_web_servers_own_log_is_masked(own_server_of, agent, secrets):
    server = own_server_of()

    assert server.request("GET", f"/claim/{agent.claim.secret}").status == 200
    assert server.request("GET", f"/claim/{agent.claim.secret}?q=1").status == 200
    assert server.request("GET", ME, token=agent.token.text).status == 200
    assert server.request("GET", f"/api/v1/{agent.token.text}?t={agent.token.text}").status == 404
    assert server.request("GET", f"/api/v1/skills?q={agent.token.text}").status == 200
    server.raw(f"GET /{agent.token.text}\x01 HTTP/1.1\r\n{agent.token.text}\r\n\r\n".encode())
    server.stop()

    text = server.log.read_text()
    assert '"GET /claim/[masked]" 200' in text
    assert '"GET /api/v1/agents/me" 200' in text
    assert not [secret for secret in secrets if secret in text]
