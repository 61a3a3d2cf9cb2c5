"""The requirements are exact pins with hashes, and satisfy pyproject.toml."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from demo.postgres import CHECKOUT

PIN = re.compile(
    r"[a-z0-9][a-z0-9._-]*(?:\[[a-z0-9,._-]+\])?==[0-9][^\s;*,]*"
    r"(?: ; [^#@]+?)?(?: --hash=sha256:[0-9a-f]{64})+"
)


def requirements(name):
    """The entries of a requirements file, each on one line, without its comments."""
    text = (CHECKOUT / name).read_text().replace("\\\n", " ")
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_pin_is_exact_and_has_a_hash(name):
    entries = requirements(name)

    assert len(entries) >= 10
    assert [entry for entry in entries if not PIN.fullmatch(entry)] == []


@pytest.mark.parametrize(
    ("name", "groups"), [("requirements.txt", []), ("requirements-dev.txt", ["dev"])]
)
def test_the_pins_satisfy_pyproject(name, groups):
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    dependencies = list(project["project"]["dependencies"])
    for group in groups:
        dependencies += project["dependency-groups"][group]
    pinned = [Requirement(entry.split(" --hash")[0]) for entry in requirements(name)]
    versions = {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in pinned}

    unmet = [
        requirement
        for requirement in map(Requirement, dependencies)
        if versions.get(canonicalize_name(requirement.name)) not in requirement.specifier
    ]

    assert unmet == []
