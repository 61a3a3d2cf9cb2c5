"""Features that clients of git expect of a server today (contract 34)."""

import pytest

from tests.factories import PersonaFactory, SkillFactory
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_git_http import REFS
from tests.interfaces.git.test_own_repository import basic


@pytest.mark.contract("34.30")
def test_a_quiet_clone_prints_nothing(live_server_of, git):
    # git 2.39 reports no progress of a few objects.
    SkillFactory(
        slug="pdf-tables", files={f"{number}.txt": b"a%d" % number for number in range(200)}
    )

    clone = git.attempt("clone", "--quiet", address(live_server_of(), "skills/pdf-tables"))

    assert (clone.returncode, clone.stdout, clone.stderr) == (0, "", "")


@pytest.mark.contract("34.31")
@pytest.mark.parametrize("path", ["catalogue", "me", "skills/pdf-tables", "personas/archivist"])
def test_an_address_may_leave_out_its_ending(anyone, agent, path):
    PersonaFactory(slug="archivist", skills=[SkillFactory(slug="pdf-tables")])
    headers = basic(f"x:{agent.token.text}")

    without = anyone.get(f"/git/{path}{REFS}", headers=headers)

    assert without.status_code == 200
    assert without.content == anyone.get(f"/git/{path}.git{REFS}", headers=headers).content


@pytest.mark.contract("34.31")
def test_a_clone_of_such_an_address(live_server_of, git):
    SkillFactory(slug="pdf-tables")

    git("clone", address(live_server_of(), "skills/pdf-tables").removesuffix(".git"))

    assert sorted(git.files("pdf-tables")) == ["SKILL.md"]


@pytest.mark.contract("34.31")
@pytest.mark.parametrize("path", ["pdf-tables.git.git", "pdf-tables.", "pdf-tables.gi", ".git"])
def test_no_other_ending_is_left_out(anyone, path):
    SkillFactory(slug="pdf-tables")

    response = anyone.get(f"/git/skills/{path}{REFS}")

    assert (response.status_code, response.json()) == (404, {"error": "Skill not found"})


@pytest.mark.contract("34.31")
def test_a_push_to_such_an_address_is_forbidden(anyone):
    SkillFactory(slug="pdf-tables")

    response = anyone.post("/git/skills/pdf-tables/git-receive-pack", b"0000")

    assert (response.status_code, response.json()) == (
        403,
        {"error": "These repositories are read-only"},
    )
