"""Fails if a released migration was edited or deleted.

python -m tests.lint_migrations             compares them with the recorded digests
python -m tests.lint_migrations --record    the same, then records all migrations as released
"""

import hashlib
import sys
from pathlib import Path

RELEASED = Path("tests/released_migrations.txt")  # as sha256sum writes it


def digests():
    """`{path: digest}` of the migrations in this checkout."""
    paths = sorted(Path().glob("[!.]*/**/migrations/0*.py"))
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def edited():
    """The paths of released migrations that differ or are missing."""
    present = digests()
    lines = (line.split() for line in RELEASED.read_text().splitlines())
    return [path for digest, path in lines if present.get(path) != digest]


def main(*arguments):
    if paths := edited():
        sys.exit(
            f"{', '.join(paths)}: a released migration is never edited. Put it back as it was, and "
            "write another one for the change."
        )
    if arguments == ("--record",):
        lines = [f"{digest}  {path}\n" for path, digest in digests().items()]
        RELEASED.write_text("".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
