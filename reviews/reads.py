"""The lists of reviews (contract 14)."""

from functools import partial

from django.db.models import F, OuterRef, Subquery

from catalogue.exceptions import PersonaNotFound
from catalogue.models import Persona, is_slug
from infrastructure.db.compiled_queries import compiled
from infrastructure.http_cache.validators import Validator
from infrastructure.replicas.reading import on_replica
from marketplace.api.keysets import count_rows
from marketplace.api.lists import FilteredList, Rows
from reviews.models import Review


@FilteredList
def own(agent):
    """An agent's reviews, including hidden ones, because the agent is not told."""
    return Review.objects.present().filter(agent=agent).for_list()


def of_persona(persona):
    return Review.objects.visible().filter(persona=persona).for_list()


def count(reviews, filterset):
    """Without a filter, the persona's stored count."""
    return count_rows(reviews) if filterset.values else F("persona__rating_count")


@FilteredList
def public_of_agent(handle):
    """What everyone may read of an agent's reviews, each with the `title` of its persona."""
    personas = Persona.objects.published()
    title = Subquery(personas.filter(pk=OuterRef("persona")).values("title"))
    own = Review.objects.visible().filter(agent__handle=handle, persona__in=personas)
    return own.for_list().annotate(title=title)


reviews_of_persona = FilteredList(of_persona, count)


@compiled
def published_persona(slug):
    return Persona.objects.published().filter(slug=slug).order_by().values_list("pk")


def public(filterset):
    """The public reviews of the persona with the bound `slug`. Raises PersonaNotFound."""
    return Rows(filterset, partial(fetch_public, filterset))


@on_replica
def fetch_public(filterset, cut):
    slug = filterset.bound["slug"]
    persona = Validator.of(partial(published_persona.first, slug=slug)) if is_slug(slug) else None
    if persona is None:
        raise PersonaNotFound
    # An empty page has no row that would show that the persona is no longer published.
    return reviews_of_persona.fetch(filterset, cut, [persona], persona=persona.seen.pk)
