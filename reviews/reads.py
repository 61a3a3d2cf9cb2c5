"""The lists of reviews (contract 14)."""

from functools import partial

from django.db.models import F, OuterRef, Subquery

from catalogue.exceptions import PersonaNotFound
from catalogue.models import Persona
from catalogue.slugs import is_slug
from infrastructure.db.compiled_queries import compiled
from infrastructure.http_cache.validators import Validator
from infrastructure.replicas.reading import on_replica
from marketplace.api.lists import KeysetList
from reviews.models import Review


class OwnReviewList(KeysetList):
    """An agent's reviews, including hidden ones, because the agent is not told."""

    def get_queryset(self, agent):
        return Review.objects.present().filter(agent=agent).for_list()


class PublicReviewList(KeysetList):
    """What everyone may read of an agent's reviews, each with the `title` of its persona."""

    def get_queryset(self, handle):
        personas = Persona.objects.published()
        title = Subquery(personas.filter(pk=OuterRef("persona")).values("title"))
        own = Review.objects.visible().filter(agent__handle=handle, persona__in=personas)
        return own.for_list().annotate(title=title)


class PersonaReviewList(KeysetList):
    def get_queryset(self, persona):
        return Review.objects.visible().filter(persona=persona).for_list()

    def get_count(self, queryset, query):
        """Without a filter, the persona's stored count."""
        if query.values:
            return super().get_count(queryset, query)
        return F("persona__rating_count")

    @on_replica
    def page(self, query):
        """The public reviews of the persona with the bound `slug`. Raises PersonaNotFound."""
        slug, persona = query.bound["slug"], None
        if is_slug(slug):
            persona = Validator.of(partial(published_persona.first, slug=slug))
        if persona is None:
            raise PersonaNotFound
        # An empty page has no row that would show that the persona is no longer published.
        return self.fetch_page(query, [persona], persona=persona.seen.pk)


@compiled
def published_persona(slug):
    return Persona.objects.published().filter(slug=slug).order_by().values_list("pk")


own, public, public_of_agent = OwnReviewList(), PersonaReviewList(), PublicReviewList()
