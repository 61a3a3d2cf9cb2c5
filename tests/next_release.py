"""The migrations of a next release, for tests: those of an app, plus more."""

import shutil
from textwrap import dedent

from demo.postgres import CHECKOUT

MIGRATION = """
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = {atomic}
    dependencies = {dependencies}
    operations = [{operations}]
"""


def next_release_of(app, folder):
    """A package in the folder with the app's migrations; settings name it in MIGRATION_MODULES."""
    # Python imports a name once, so each test has its own.
    package = folder / f"{folder.name}_{app}"
    shutil.copytree(CHECKOUT / app / "migrations", package)
    return package


def add_migration(package, operations, *, atomic=True, after=()):
    """Write the next migration of the package; returns its app and its name."""
    app = package.name.rpartition("_")[2]
    names = sorted(file.stem for file in package.glob("0*.py"))
    name = f"{len(names) + 1:04}_next"
    (package / f"{name}.py").write_text(
        MIGRATION.format(
            atomic=atomic,
            dependencies=[(app, names[-1]), *after],
            operations=dedent(operations),
        )
    )
    return app, name
