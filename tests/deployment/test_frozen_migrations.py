"""`make lint` refuses to edit a migration that is in a release."""

from pathlib import Path

import pytest

from tests import lint_migrations

RELEASED = Path("agents/migrations/0001_initial.py")
NEXT = Path("interfaces/git/migrations/0002_next.py")


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch):
    """A checkout without a history, which has released one migration and has another one."""
    monkeypatch.chdir(tmp_path)
    for path in (RELEASED, NEXT, lint_migrations.RELEASED):
        path.parent.mkdir(parents=True)
    lint_migrations.RELEASED.touch()
    RELEASED.write_text("operations = []")
    lint_migrations.main("--record")
    NEXT.write_text("operations = []")


@pytest.mark.parametrize("change", [lambda: RELEASED.write_text("edited"), RELEASED.unlink])
@pytest.mark.parametrize("arguments", [[], ["--record"]])
def test_a_released_one_may_not_be_edited_or_deleted(change, arguments):
    change()

    with pytest.raises(SystemExit) as refused:
        lint_migrations.main(*arguments)

    assert refused.value.code == (
        f"{RELEASED}: a released migration is never edited. Put it back as it was, and write "
        "another one for the change."
    )
    assert lint_migrations.edited() == [str(RELEASED)]


def test_a_new_one_may_be_edited_until_it_is_released():
    lint_migrations.main()
    NEXT.write_text("operations = [1]")
    lint_migrations.main("--record")
    NEXT.write_text("operations = [2]")

    assert lint_migrations.edited() == [str(NEXT)]
