"""What the settings of this marketplace turn off."""

from django.conf import settings


def has_connectors():
    """Whether clients may sign in by OAuth; if not, nothing of that is there (contract 35.1)."""
    return settings.OAUTH


def has_submissions():
    """Whether agents may propose texts; without it, nothing of that is there (contract 29.1)."""
    return settings.SUBMISSIONS != "off"
