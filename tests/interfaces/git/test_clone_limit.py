"""The policy `clone`, which counts requests for packs (contract 27)."""

import pytest

from tests.factories import SkillFactory
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_git_http import REFS, SKILL, UNKNOWN, head_of, line, upload
from tests.interfaces.git.test_own_repository import basic


@pytest.mark.contract("27.10")
def test_requests_for_packs_count_and_refs_do_not(anyone, rates):
    SkillFactory(slug="pdf-tables")
    rates(clone="2/h")
    body = line(f"want {head_of(anyone)}\n") + b"0000" + line("done\n")

    statuses = [upload(anyone, body).status_code for _ in range(2)]
    refused = upload(anyone, body)

    assert statuses == [200, 200]
    assert refused.status_code == 429
    assert refused.json()["error"].startswith("Rate limit exceeded. Try again in ")
    assert refused["Retry-After"]
    assert anyone.get(f"{SKILL}{REFS}").status_code == 200


@pytest.mark.contract("27.10")
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (line(f"want {UNKNOWN}\n") + b"0000", 200),
        (b"0000", 200),
        (b"hello", 400),
    ],
)
def test_requests_that_get_no_pack_count(anyone, rates, body, status):
    SkillFactory(slug="pdf-tables")
    rates(clone="1/h")

    responses = [upload(anyone, body) for _ in range(2)]

    assert [response.status_code for response in responses] == [status, 429]
    assert responses[0]["RateLimit"].startswith('"clone";r=0;t=')


@pytest.mark.contract("27.10")
def test_rounds_of_negotiation_count(anyone, rates):
    SkillFactory(slug="pdf-tables")
    rates(clone="1/h")
    body = line(f"want {head_of(anyone)} multi_ack_detailed\n") + b"0000"
    body += line(f"have {UNKNOWN}\n") + b"0000"

    first, second = (upload(anyone, body) for _ in range(2))

    assert (first.status_code, first.content) == (200, b"0008NAK\n")
    assert second.status_code == 429


@pytest.mark.contract("27.10")
def test_a_refused_clone_does_not_count(anyone, agent, rates):
    rates(clone="1/h")

    responses = [upload(anyone, b"0000", "/git/me.git") for _ in range(2)]

    assert [response.status_code for response in responses] == [401, 401]


@pytest.mark.contract("27.10")
@pytest.mark.parametrize(
    ("depth", "requests"), [([], 1), (["--depth", "1"], 2)], ids=["whole", "shallow"]
)
def test_a_clone_takes_few_requests(live_server_of, git, depth, requests):
    SkillFactory(slug="pdf-tables")
    url = address(live_server_of(RATE_LIMIT_CLONE=f"{requests}/h"), "skills/pdf-tables")

    git("clone", *depth, url)

    assert "429" in git.attempt("clone", url, "again").stderr


@pytest.mark.contract("27.10")
def test_an_agent_has_a_window_of_its_own(anyone, agent, rates):
    SkillFactory(slug="pdf-tables")
    rates(clone="1/h")
    body = line(f"want {head_of(anyone)}\n") + b"0000" + line("done\n")

    assert upload(anyone, body).status_code == 200
    assert upload(anyone, body).status_code == 429
    assert upload(anyone, body, **basic(f"x:{agent.token.text}")).status_code == 200
