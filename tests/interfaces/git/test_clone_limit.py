"""The policy `clone`, which counts requests for packs (contract 27)."""

import time

import pytest

from interfaces.git.models import Object
from tests.factories import SkillFactory
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_git_http import REFS, SKILL, UNKNOWN, head_of, line, upload
from tests.interfaces.git.test_own_repository import basic
from tests.interfaces.git.test_wants import sha_of


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


@pytest.fixture
def minute(monkeypatch):
    """A clock at the start of a minute, which `minute(seconds)` puts forward."""
    now = [time.time() // 3600 * 3600]
    monkeypatch.setattr(
        "django_ratelimit.core._get_window", lambda _, period: now[0] // period * period + period
    )
    return lambda seconds: now.append(now.pop() + seconds)


def tree_of_some_folder():
    """The only objects of a skill's repository that are no file of the catalogue."""
    return bytes(Object.objects.filter(content=None).first().sha).hex()


def fetch_of(*shas):
    wants = b"".join(line(f"want {sha}\n") for sha in shas)
    return wants + b"0000" + line("done\n")


@pytest.mark.contract("34.33")
def test_fetches_of_files_count_as_one_in_a_minute(anyone, skill, rates, minute):
    rates(clone="3/h")
    head_of(anyone)
    files = [fetch_of(sha_of(text)) for text in (skill.file_text, "true\n")]

    within = [upload(anyone, body) for body in files * 3]
    minute(60)
    later = [upload(anyone, body) for body in files]

    assert [response.status_code for response in within + later] == [200] * 8
    assert {response["RateLimit"].split(";")[1] for response in within} == {"r=2"}
    assert {response["RateLimit"].split(";")[1] for response in later} == {"r=1"}


@pytest.mark.contract("34.33")
def test_beyond_the_limit_fetches_of_files_are_refused(anyone, skill, rates):
    rates(clone="1/h")
    clone, file = fetch_of(head_of(anyone)), fetch_of(sha_of(skill.file_text))

    statuses = [upload(anyone, body).status_code for body in (clone, file, file, file)]

    assert statuses == [200, 429, 429, 429]


@pytest.mark.contract("34.33")
def test_each_caller_has_a_minute_of_its_own(anyone, agent, skill, rates):
    rates(clone="1/h")
    head_of(anyone)
    file, headers = fetch_of(sha_of(skill.file_text)), basic(f"x:{agent.token.text}")

    responses = [upload(anyone, file), upload(anyone, file, **headers)]

    assert [response["RateLimit"].split(";")[1] for response in responses] == ["r=0"] * 2


@pytest.mark.contract("34.33")
def test_whatever_is_more_than_files_counts_each_time(anyone, skill, rates):
    head = head_of(anyone)
    file, tree = sha_of(skill.file_text), tree_of_some_folder()
    rates(clone="100/h")
    bodies = [
        fetch_of(file),
        fetch_of(head),
        fetch_of(file, head),
        fetch_of(file, tree),
        fetch_of(UNKNOWN),
        fetch_of(file, UNKNOWN),
        b"hello",
        b"0000",
        line(f"want {file} filter\n") + line("filter tree:0\n") + b"0000" + line("done\n"),
    ]

    remaining = [upload(anyone, body)["RateLimit"].split(";")[1] for body in bodies]

    assert remaining == [f"r={number}" for number in range(99, 99 - len(bodies), -1)]


@pytest.mark.contract("34.33")
def test_a_partial_clone_takes_two_requests(live_server_of, git):
    SkillFactory(slug="pdf-tables", files={"run.sh": b"true\n"})
    url = address(live_server_of(RATE_LIMIT_CLONE="2/h"), "skills/pdf-tables")

    git("clone", "--filter=blob:none", "--no-checkout", url)
    for path in ("SKILL.md", "run.sh"):
        git("checkout", "main", "--", path, within="pdf-tables")

    assert "429" in git.attempt("clone", url, "again").stderr


@pytest.mark.contract("27.10")
def test_an_agent_has_a_window_of_its_own(anyone, agent, rates):
    SkillFactory(slug="pdf-tables")
    rates(clone="1/h")
    body = line(f"want {head_of(anyone)}\n") + b"0000" + line("done\n")

    assert upload(anyone, body).status_code == 200
    assert upload(anyone, body).status_code == 429
    assert upload(anyone, body, **basic(f"x:{agent.token.text}")).status_code == 200
