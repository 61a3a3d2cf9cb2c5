"""The settings with the linter of migrations, which is an app and no dependency of production."""

from marketplace.settings import *  # noqa: F403
from marketplace.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "django_migration_linter"]
