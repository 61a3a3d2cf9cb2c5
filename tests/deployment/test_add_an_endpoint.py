"""docs/develop/add-an-endpoint.md: its steps add an endpoint to a copy of the checkout."""

import os
import re
import subprocess
from textwrap import indent

import pytest

from demo.postgres import CHECKOUT
from tests.checkouts import bare_checkout, copied

PAGE = CHECKOUT / "docs" / "develop" / "add-an-endpoint.md"
# A file that the text before a block names, and the block.
STEP = re.compile(r"`([\w./-]+\.(?:py|md))`[^`\n]*(?:`\w+`)?:\n\n```\w+\n(.*?)\n```", re.DOTALL)
# In these files, the line before which a step's block goes. In others, it is the end of the file.
BEFORE = {
    "catalogue/views.py": "class PersonaViewSet(",
    "tests/registry.py": '    reading("list_skills"',
    "templates/guides/skill.md": "| GET | `/skills/{slug}/versions`,",
    "docs/agents/endpoints.md": "| `GET /api/v1/facets`",
    "docs/develop/contract.md": "\n## 9. ",
}


def apply(folder, name, block):
    path = folder / name
    text = path.read_text() if path.exists() else ""
    before = BEFORE.get(name)
    if before is None:
        path.write_text(f"{text}\n\n{block}\n")
        return
    if name.endswith("views.py"):
        imports, block = block.split("\n\n\n", 1)
        text, block = f"{imports}\n{text}", indent(block, "    ") + "\n\n"
    elif name.endswith(".py"):
        block = f"    {block},"
    assert text.count(before) == 1, (name, before)
    path.write_text(text.replace(before, f"{block}\n{before}"))


@pytest.mark.slow
def test_its_steps_in_their_order_add_an_endpoint(tmp_path):
    folder = bare_checkout(tmp_path)
    (folder / ".demo").mkdir()
    for migrated in CHECKOUT.glob(".demo/migrated-*"):
        copied(migrated, folder / ".demo")
    steps = STEP.findall(PAGE.read_text())
    [commands] = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    environment = dict(os.environ)
    for name in ("DATABASE_URL", "TEMPLATE_OF_TESTS"):
        environment.pop(name, None)
    # Tests that start servers or clients of others say nothing about the new endpoint.
    environment["PYTEST_ADDOPTS"] = "-m 'not (external or servers or slow)'"

    for name, block in steps:
        apply(folder, name, block)
    done = subprocess.run(
        ["bash", "-ec", commands],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert [name for name, _ in steps] == [
        *("catalogue/serializers/skills.py", "catalogue/reads.py", "catalogue/views.py"),
        *("tests/registry.py", "templates/guides/skill.md", "docs/agents/endpoints.md"),
        *("docs/develop/contract.md", "tests/api/test_bundles.py"),
    ]
    assert done.returncode == 0, done.stdout
