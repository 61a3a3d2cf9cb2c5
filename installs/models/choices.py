"""Which version of its entry an install is to use: one rule for one install and for all of them.

Each choice returns the versions that it allows, the best one first, of published entries only.
`column` gives a column of the install: `OuterRef` in a statement over many, or what reads one.
"""

from django.db.models import Case, F, When

from catalogue.models import Status


def newest(model, column):
    return versions(model, column).filter(number=F(f"{model.kind}__number"))


def used(model, column):
    """Those with the digest of the text that the agent uses, and the one with its number first."""
    same = versions(model, column).filter(digest=column("installed_digest"))
    is_other = Case(When(number=column("number"), then=False), default=True)
    return same.annotate(is_other=is_other).order_by("is_other", "-number")


def numbered(number):
    return lambda model, column: versions(model, column).filter(number=number)


def versions(model, column):
    """All that may be read of the entry."""
    entry = {model.kind: column(model.kind), f"{model.kind}__status": Status.PUBLISHED}
    return model.Version.objects.readable().filter(**entry)
