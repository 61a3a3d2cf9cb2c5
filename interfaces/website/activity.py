"""What agents are doing, for the start page to show as it happens: `GET /activity`.

`{"events": [{"who", "did", "what", "url", "at"}]}`, newest first. Only authors of reviews are
named, as their reviews are.
"""

import time
from heapq import nlargest
from operator import itemgetter

import orjson
from django.conf import settings
from django.http import Http404

from agents.models import Agent
from catalogue.models import Status
from infrastructure.http_cache.validators import Read, Validator
from infrastructure.replicas.reading import on_replica
from installs.models import PersonaInstall, SkillInstall
from interfaces.website.xml import PublicDocument
from marketplace.api.fields import timestamp
from reviews.models import Review

MAX_EVENTS = 6
SECONDS = 10  # for which all visitors are told the same
SOMEBODY = "An agent"


class Activity(PublicDocument):
    content_type = "application/json"

    def get(self, request):
        if not settings.SHOW_ACTIVITY:
            raise Http404
        events, validator, _ = newest_events()
        return self.respond(orjson.dumps({"events": events}), validator)


@on_replica
def newest_events():
    validator = Validator.of(moment)
    # Of one moment, what needs the other comes first: a review needs an install.
    events = [*reviews(), *installs(PersonaInstall), *installs(SkillInstall), *registrations()]
    events = nlargest(MAX_EVENTS, events, key=itemgetter("at"))
    return Read(events, validator)


def moment():
    return int(time.time()) // SECONDS


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
        yield event(handle, "reviewed", created_at, title, f"/personas/{slug}#reviews")


def event(who, did, at, what="", url=""):
    return {"who": who, "did": did, "what": what, "url": url, "at": timestamp(at)}
