"""The policy `clone`, which counts packs (contract 27)."""

from tests.factories import SkillFactory
from tests.interfaces.git.test_git_http import REFS, SKILL, head_of, line, upload
from tests.interfaces.git.test_own_repository import basic


def test_packs_count_and_refs_do_not(anyone, rates):
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


def test_rounds_of_negotiation_do_not_count(anyone, rates):
    SkillFactory(slug="pdf-tables")
    rates(clone="1/h")
    body = line(f"want {head_of(anyone)} multi_ack_detailed\n") + b"0000"
    body += line(f"have {'1' * 40}\n") + b"0000"

    for _ in range(3):
        response = upload(anyone, body)
        assert (response.status_code, response.content) == (200, b"0008NAK\n")


def test_an_agent_has_a_window_of_its_own(anyone, agent, rates):
    SkillFactory(slug="pdf-tables")
    rates(clone="1/h")
    body = line(f"want {head_of(anyone)}\n") + b"0000" + line("done\n")

    assert upload(anyone, body).status_code == 200
    assert upload(anyone, body).status_code == 429
    assert upload(anyone, body, **basic(f"x:{agent.token.text}")).status_code == 200
