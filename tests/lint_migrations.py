"""Fails if a migration that is on main or in a release was edited or deleted."""

import subprocess
import sys

MIGRATIONS = ":(glob)*/migrations/0*.py"


def git(*arguments):
    """git's output, or "" if it fails, as it does outside a repository, or is not installed."""
    try:
        process = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return process.stdout.strip()


def bases():
    """The newest release; main as others have it; on main itself, its previous commit."""
    yield git("describe", "--tags", "--abbrev=0", "--match", "v*")
    main = git("rev-parse", "-q", "--verify", "origin/main") or "main"
    base = git("merge-base", "HEAD", main)
    yield base
    if base == git("rev-parse", "HEAD"):
        yield git("rev-parse", "-q", "--verify", "HEAD^")


def edited():
    """The migrations of a base that differ or are missing in this checkout."""
    options = ("--name-only", "--no-renames", "--diff-filter=DMT")
    return sorted(
        {
            name
            for base in filter(None, bases())
            for name in git("diff", *options, base, "--", MIGRATIONS).splitlines()
        }
    )


if __name__ == "__main__":
    if names := edited():
        sys.exit(
            f"{', '.join(names)}: a migration on main is never edited. Put it back as it was, and "
            "write another one for the change."
        )
    if git("rev-parse", "--is-shallow-repository") != "false" or not any(bases()):
        sys.stderr.write("Migrations are not compared: git has no history of main here.\n")
