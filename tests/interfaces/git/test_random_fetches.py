"""Clones that are fetched into at random: whole, shallow and partial, while versions appear."""

import random

import pytest

from tests.factories import SkillFactory
from tests.interfaces.git.conftest import address

STEPS = 40


def fetch(git, chance, url, clone):
    """Fetch into a clone in one of the ways that git knows."""
    number = chance.randint(1, 9)
    refs = git("ls-remote", url, "refs/tags/*").splitlines()
    sha, tag = chance.choice(refs).split("\t")
    ways = [
        [],
        ["--depth", str(number)],
        ["--deepen", str(number)],
        ["--unshallow"],
        ["origin", f"{tag}:{tag}-again-{chance.random()}"],
        ["origin", sha],
        ["--depth", "1", "origin", sha],
    ]
    way = chance.choice(ways)
    done = git.attempt("fetch", "--quiet", *way, within=clone)
    # There is nothing to unshallow in a whole clone.
    assert done.returncode == 0 or way == ["--unshallow"], (way, done.stderr)


@pytest.mark.contract("27.2")
def test_nothing_is_ever_missing(live_server_of, git):
    chance = random.Random(5)
    skill = SkillFactory(slug="pdf-tables", files={"a.txt": b"a"})
    url = address(live_server_of(RATE_LIMIT_CLONE="1000/h"), "skills/pdf-tables")
    clones = []
    for step in range(STEPS):
        # Some texts come again.
        skill.content = f"# {chance.randrange(STEPS // 2)}\n"
        if chance.random() < 0.4:
            skill.save()
        if not clones or chance.random() < 0.2:
            depth = ["--depth", str(chance.randint(1, 5))] if chance.random() < 0.8 else []
            part = ["--filter=blob:none"] if chance.random() < 0.3 else []
            git("clone", "--quiet", *depth, *part, url, f"clone-{step}")
            clones.append(f"clone-{step}")
        clone = chance.choice(clones)
        fetch(git, chance, url, clone)

        checked = git.attempt("fsck", "--strict", within=clone)
        assert checked.returncode == 0, checked.stderr
        assert "missing" not in checked.stdout
