"""manage.py import_skills: frontmatter that is meant to harm"""

import pytest

from tests.imports import AFTER_REFUSALS, import_skills, manage, served, skill, slugs

pytestmark = pytest.mark.django_db


def bomb():
    """Aliases that would expand to ten to the ninth words."""
    levels = [
        f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 10)
    ]
    return [
        'a0: &a0 ["x", "x"]',
        *levels,
        "tags: *a9",
        "description: *a9",
        "metadata: {author: *a9}",
    ]


HOSTILE = {
    "bomb": bomb(),
    "loop": ["tags: &loop [*loop]", "metadata: &self {metadata: *self}"],
    "deep yaml": ["tags: " + "[" * 900 + "]" * 900],
    "deep json": ["metadata: '" + "[" * 100_000 + "'"],
    "deep json object": ["metadata: '" + '{"a":' * 100_000 + "'"],
    "lone surrogate": ["""metadata: '{"title": "A\\ud800B"}'"""],
    "long number": ['metadata: \'{"version": ' + "9" * 10_000 + "}'"],
    "list as key": ["? [a, {b: c}]", ": d"],
    "many lines": ["title: a: b", "description: x", *["  x"] * 200_000],
    "many items": ["title: a: b", "tags:", *["- x"] * 80_000],
}


@pytest.mark.parametrize("lines", HOSTILE.values(), ids=HOSTILE)
def test_hostile_frontmatter_stops_nothing(anyone, tmp_path, lines):
    skill(tmp_path / "a", "name: a", *lines)
    skill(tmp_path / "b")
    import_skills(tmp_path)

    assert "b" in slugs(anyone)


def test_aliases_do_not_multiply_a_text(anyone, tmp_path):
    # Six levels only: an importer that expands ten would fill the memory.
    skill(tmp_path / "a", "name: a", *bomb()[:6], "description: {x: *a5}")

    import_skills(tmp_path)

    assert all(len(served(anyone, slug)["description"]) < 1000 for slug in slugs(anyone))


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_deeply_nested_frontmatter_stops_nothing(anyone, tmp_path):
    for opening, name in [("[", "list"), ("{a: ", "object"), ("- ", "items")]:
        for length in (60_000, 400_000):  # read, and refused unread
            lines = ["tags:", "  " + opening * (length // len(opening))]
            skill(tmp_path / f"{name}-{length}", f"name: {name}-{length}", *lines)
    skill(tmp_path / "plain")

    # In a separate process: a crash in C would kill it, and the last line would be missing.
    done = manage("import_skills", tmp_path)

    assert done.stdout.splitlines()[-1:] == [
        f"skills: 2 created, 0 updated, 0 unchanged, 5 refused{AFTER_REFUSALS}"
    ], done.stderr[:500]
    assert done.returncode == 1
    assert slugs(anyone) == ["list-60000", "plain"]


def test_yaml_tags_run_nothing(anyone, tmp_path):
    made = tmp_path / "made"
    skill(tmp_path / "a", "name: a", f"title: !!python/object/apply:os.mkdir ['{made}']")

    import_skills(tmp_path)

    assert not made.exists()
