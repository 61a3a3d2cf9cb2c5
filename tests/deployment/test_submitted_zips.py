"""A body of more than 64 KiB is read at the path of submissions, once its head is accepted."""

import os
from contextlib import ExitStack

import pytest

from agents.models import AgentToken
from agents.tokens import mint
from submissions.models import Submission
from tests.deployment.conftest import ours
from tests.deployment.raw_http import read_responses
from tests.factories import AgentFactory
from tests.submissions.conftest import TEXT, URL, zip_of

TWO_MIB = 2 * 1024**2
ZIP = "application/zip"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def head_of(token, kind=ZIP, size=TWO_MIB, more=""):
    lines = [
        *(f"POST {URL} HTTP/1.1", "Host: localhost", f"Content-Type: {kind}"),
        *([f"Authorization: Bearer {token}"] if token else []),
        f"Content-Length: {size}",
    ]
    return ("\r\n".join(lines) + f"\r\n{more}\r\n").encode()


def token_with(*scopes, **agent):
    return AgentToken.objects.issue(AgentFactory(**agent), scopes).text


@pytest.mark.contract("29.4")
def test_a_long_zip_is_read_and_counted_once(server):
    packed = zip_of({"SKILL.md": TEXT, "noise.bin": os.urandom(TWO_MIB)})

    headers = {"Content-Type": ZIP}
    response = server.request("POST", URL, packed, token=token_with("submit"), headers=headers)

    assert (response.status, response.json()["message"]) == (201, "Skill submitted")
    assert response.headers["RateLimit"].startswith('"submit";r=59;')
    assert Submission.objects.get().size == len(TEXT) + TWO_MIB


@pytest.mark.contract("29.4")
def test_what_its_head_shows_is_refused_unread(server, subtests):
    used_up = token_with("submit", limits={"submit": 1})
    small = zip_of({"SKILL.md": TEXT})
    heads = {
        "no token": (401, head_of("")),
        "no form of a token": (401, head_of("mkt_agent_x")),
        "an unknown token": (401, head_of(mint())),
        "another scope": (403, head_of(token_with("read"))),
        "another type": (415, head_of(token_with("submit"), "text/plain")),
        "a long JSON": (413, head_of(token_with("submit"), "application/json")),
        "beyond the limit": (429, head_of(used_up)),
    }
    server.request("POST", URL, small, token=used_up, headers={"Content-Type": ZIP})
    with ExitStack() as links:
        opened = {name: links.enter_context(server.connect()) for name in heads}
        for name, (status, head) in heads.items():
            with subtests.test(name):
                opened[name].settimeout(10)  # a body that has not arrived has 15 s
                opened[name].sendall(head + b"PK")
                assert read_responses(opened[name], 1) == ([status], True)


@ours
@pytest.mark.contract("29.4")
def test_a_client_is_told_to_continue_once_its_head_is_accepted(server):
    expects = "Expect: 100-continue\r\n"
    with server.connect() as refused, server.connect() as accepted:
        refused.sendall(head_of(mint(), more=expects))
        assert read_responses(refused, 1) == ([401], True)

        accepted.sendall(head_of(token_with("submit"), more=expects))
        assert accepted.recv(1024) == CONTINUE
        accepted.sendall(b"x" * TWO_MIB)
        assert read_responses(accepted, 1) == ([400], True)
