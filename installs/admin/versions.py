"""Which version of an entry the agent of an install has, in words."""

from django.db.models import F

from catalogue.models import Status


def with_versions(installs):
    """Installs with what `version_of` reads, and the `slug` of the entry."""
    kind = installs.model.kind
    return installs.annotate(
        slug=F(f"{kind}__slug"),
        status=F(f"{kind}__status"),
        latest_digest=F(f"{kind}__digest"),
        latest_number=F(f"{kind}__number"),
        pinned_number=F("pinned__number"),
    )


def version_of(install):
    """For example "8", "3, newest 8", "pinned to 3, newest 8"."""
    number = install.pinned_number or install.number
    name = "an unnumbered text" if number is None else str(number)
    pin = "pinned to " if install.pinned_number else ""
    is_newest = install.installed_digest == install.latest_digest
    newest = (
        ""
        if is_newest or install.status != Status.PUBLISHED
        else f", newest {install.latest_number}"
    )
    return f"{pin}{name}{newest}"
