"""The version that an install uses next: one rule for a single install and for many.

Each choice returns the versions that it allows, best first, of published entries only. `column`
gives a column of the install: `OuterRef` for a statement over many, or a function that reads one.
"""

from django.db.models import Case, F, When

from catalogue.models import Status


def newest(model, column):
    return versions(model, column).filter(number=F(f"{model.kind}__number"))


def used(model, column):
    """Versions with the digest of the agent's current text; the one with its number comes first."""
    same = versions(model, column).filter(digest=column("installed_digest"))
    is_other = Case(When(number=column("number"), then=False), default=True)
    return same.annotate(is_other=is_other).order_by("is_other", "-number")


def numbered(number):
    return lambda model, column: versions(model, column).filter(number=number)


def versions(model, column):
    """All readable versions of the entry."""
    entry = {model.kind: column(model.kind), f"{model.kind}__status": Status.PUBLISHED}
    return model.Version.objects.readable().filter(**entry)
