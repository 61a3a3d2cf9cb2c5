"""A zip of more than 64 KiB is read at the path of submissions, behind a token (contract 29.4)."""

import os

import pytest

from agents.models import AgentToken
from submissions.models import Submission
from tests.factories import AgentFactory
from tests.submissions.conftest import TEXT, URL, zip_of

TWO_MIB = 2 * 1024**2
HEADERS = {"Content-Type": "application/zip"}


@pytest.mark.contract("29.4")
def test_a_long_zip_is_read_behind_a_token(server):
    token = AgentToken.objects.issue(AgentFactory(), ["submit"])
    packed = zip_of({"SKILL.md": TEXT, "noise.bin": os.urandom(TWO_MIB)})

    response = server.request("POST", URL, packed, token=token.text, headers=HEADERS)

    assert (response.status, response.json()["message"]) == (201, "Skill submitted")
    assert Submission.objects.get().size == len(TEXT) + TWO_MIB


@pytest.mark.contract("29.4")
@pytest.mark.parametrize("line", ["", "Authorization: Bearer mkt_agent_x\r\n"])
def test_without_a_token_it_is_refused_unread(server, line):
    head = f"POST {URL} HTTP/1.1\r\nHost: localhost\r\n{line}Content-Type: application/zip\r\n"
    with server.connect() as link:
        link.settimeout(5)  # a body that has not arrived has 15 s
        link.sendall(f"{head}Content-Length: {TWO_MIB}\r\n\r\n".encode())
        received = link.makefile("rb").read()

    assert received.startswith(b"HTTP/1.1 401 ")
    assert b"\r\nConnection: close\r\n" in received
