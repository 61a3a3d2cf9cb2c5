"""`make demo` after an import of your own skills, as docs/deploy/README.md prints it."""

import re
import subprocess

import pytest

from demo.postgres import CHECKOUT
from tests.checkouts import migrated_checkout

pytestmark = pytest.mark.slow


def test_it_adds_nothing_to_skills_of_your_own(demo_in, new_folder):
    folder = new_folder()
    demo = demo_in(migrated_checkout(folder / "checkout"))
    skill = folder / "my-skills/mine/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: mine\ndescription: Does it.\n---\n\nDo it.\n")
    _, _, section = (CHECKOUT / "docs/deploy/README.md").read_text().partition("own skills\n")
    *before, start = re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1].splitlines()
    for command in before:
        shell = ["bash", "-c", command]
        subprocess.run(shell, cwd=demo.folder, env=demo.environment, check=True, timeout=120)

    demo.start()

    assert start == "make demo"
    for kind, slugs in (("skills", ["mine"]), ("personas", [])):
        results = demo.request("GET", f"/api/v1/{kind}").json()["results"]
        assert [entry["slug"] for entry in results] == slugs
    assert "note:" not in demo.output()
    assert "activity:" not in demo.output()
