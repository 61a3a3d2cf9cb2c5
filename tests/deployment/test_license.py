"""The license and the version are the same wherever the repository names them."""

import re
import tomllib
from hashlib import sha256

from demo.postgres import CHECKOUT

# The text at https://www.apache.org/licenses/LICENSE-2.0.txt.
APACHE = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]


def text_of(name):
    return (CHECKOUT / name).read_text()


def test_the_license_is_the_unchanged_text_that_pyproject_names():
    assert (PROJECT["license"], PROJECT["license-files"]) == ("Apache-2.0", ["LICENSE"])
    assert sha256((CHECKOUT / "LICENSE").read_bytes()).hexdigest() == APACHE
    assert "The license is [Apache 2.0](LICENSE)" in text_of("README.md")
    # PEP 639 forbids classifiers of licenses beside the expression.
    assert [name for name in PROJECT["classifiers"] if name.startswith("License")] == []


def test_the_policy_says_whether_the_version_is_released():
    version = PROJECT["version"]
    [state] = re.findall(
        rf"^## {re.escape(version)} \((.*)\)$", text_of("CHANGELOG.md"), re.MULTILINE
    )

    is_unreleased = f"Version {version} is not released yet" in text_of("SECURITY.md")
    assert is_unreleased == (state == "unreleased")


def test_no_page_names_the_tag_of_a_release():
    """It would not exist yet, or be an old one; commands take it from a variable."""
    pages = [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md")]

    tags = {page.name: re.findall(r"\bv\d+\.\d+\.\d+", page.read_text()) for page in pages}

    assert len(pages) > 40
    assert {name: names for name, names in tags.items() if names} == {}
