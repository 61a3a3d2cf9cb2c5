"""A repository of 1,000 skills with 100 MiB of files (contract 27.11)."""

import random
from pathlib import Path

import psutil
import pytest

from tests.factories import SkillFactory
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_git_http import REFS

SKILLS, FILES, KIB = 1000, 10, 10
MOST = 64 * 1024  # KiB


def text(number):
    """10 KiB that halve when they are compressed."""
    return random.Random(number).randbytes(KIB * 512).hex().encode()


def memory(worker, name):
    """A figure of /proc, in KiB: VmRSS is what it takes, VmHWM the most that it took."""
    lines = Path(f"/proc/{worker.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


@pytest.mark.contract("27.11")
@pytest.mark.slow
def test_it_takes_little_memory(own_server_of, git):
    for number in range(SKILLS):
        files = {f"{place}.txt": text(number * FILES + place) for place in range(FILES)}
        SkillFactory(slug=f"skill-{number}", files=files)
    # A busy machine may need more than 5 seconds for a statement.
    server = own_server_of(DATABASE_TIMEOUTS="none")
    server.request("GET", f"/git/skills/skill-1.git{REFS}")
    [worker] = psutil.Process(server.process.pid).children()
    before = memory(worker, "VmRSS")

    url = address(server, "catalogue")
    git("clone", "--quiet", "--bare", url)
    # The checkout names every file in one request.
    git("clone", "--quiet", "--filter=blob:none", url, "partial")

    assert memory(worker, "VmHWM") - before < MOST
    for clone in ("catalogue.git", "partial"):
        assert len(git("ls-tree", "HEAD:plugins", within=clone).splitlines()) == SKILLS
    assert len(git.files("partial")) > SKILLS * FILES
