"""What clients of git expect of a server today (contract 34)."""

import pytest

from tests.factories import SkillFactory
from tests.interfaces.git.conftest import address


@pytest.mark.contract("34.30")
def test_a_quiet_clone_prints_nothing(live_server_of, git):
    # git 2.39 reports no progress of a few objects.
    SkillFactory(
        slug="pdf-tables", files={f"{number}.txt": b"a%d" % number for number in range(200)}
    )

    clone = git.attempt("clone", "--quiet", address(live_server_of(), "skills/pdf-tables"))

    assert (clone.returncode, clone.stdout, clone.stderr) == (0, "", "")
