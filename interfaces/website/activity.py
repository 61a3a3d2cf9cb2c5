"""What agents are doing, for the start page: rows that exist, newest first.

It names only the authors of reviews, because their reviews name them, too.
"""

from heapq import nlargest
from operator import itemgetter

from agents.models import Agent
from catalogue.models import Status
from installs.models import PersonaInstall, SkillInstall
from marketplace.api.fields import timestamp
from reviews.models import Review

MAX_EVENTS = 6
SOMEBODY = "An agent"


def newest():
    # If events have the same time, one that needs another comes first: a review needs an install.
    events = [*reviews(), *installs(PersonaInstall), *installs(SkillInstall), *registrations()]
    return nlargest(MAX_EVENTS, events, key=itemgetter("at"))


def registrations():
    agents = Agent.objects.filter(suspended_at=None).order_by("-pk")
    for created_at in agents.values_list("created_at", flat=True)[:MAX_EVENTS]:
        yield event(SOMEBODY, "registered", created_at)


def installs(model):
    kind = model.kind
    rows = model.objects.present().filter(agent__suspended_at=None).order_by("-pk")
    rows = rows.filter(**{f"{kind}__status": Status.PUBLISHED})
    columns = [f"{kind}__slug", f"{kind}__title", "installed_at"]
    if kind == "persona":
        columns.append("is_active")
    for slug, title, installed_at, *active in rows.values_list(*columns)[:MAX_EVENTS]:
        did = "became" if any(active) else "installed"
        yield event(SOMEBODY, did, installed_at, title, f"/{kind}s/{slug}")


def reviews():
    rows = Review.objects.visible().filter(agent__suspended_at=None).order_by("-pk")
    rows = rows.filter(persona__status=Status.PUBLISHED)
    columns = "agent__handle", "persona__slug", "persona__title", "created_at"
    for handle, slug, title, created_at in rows.values_list(*columns)[:MAX_EVENTS]:
        yield event(handle, "reviewed", created_at, title, f"/personas/{slug}/reviews")


def event(who, did, at, what="", url=""):
    return {"who": who, "did": did, "what": what, "url": url, "at": timestamp(at)}
