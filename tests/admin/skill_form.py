"""The form of a skill, as a browser sends it"""

from tests.admin.actions import send
from tests.admin.edits import opened
from tests.admin.files import SKILL_MD
from tests.admin.rows import change_page
from tests.factories import SkillFactory

FILES = {
    "assets/logo.png": b"\0\xff",
    "references/a.md": b"\xef\xbb\xbfOne\r\ntwo\r\n",
    "scripts/run.py": b"print(1)\n",
}
CONTENT = SKILL_MD.format("pdf")


def skill_with_files():
    return SkillFactory(slug="pdf", content=CONTENT, license="MIT", files=FILES)


def rows(*changes):
    """The rows of the form for changed files."""
    fields = {"files-TOTAL_FORMS": len(changes)}
    for number, change in enumerate(changes):
        for name, value in ({"was": "", "path": ""} | change).items():
            fields[f"files-{number}-{name}"] = value
    return fields


def change(client, skill, *changes, **fields):
    form = opened(client, skill) | rows(*changes) | fields
    return send(client, change_page(skill), form)
