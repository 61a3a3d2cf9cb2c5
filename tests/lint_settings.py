"""The settings plus the linter of migrations, an app that production does not install."""

from marketplace.settings import *  # noqa: F403
from marketplace.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "django_migration_linter"]
