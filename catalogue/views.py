from functools import partial

from django.conf import settings
from django.http import HttpResponseNotModified
from django.utils.crypto import salted_hmac
from rest_framework.response import Response

from catalogue import serializers
from catalogue.filters import PersonaListQuery, SkillListQuery
from catalogue.models import Persona, Skill, is_slug
from marketplace.api.pagination import versions, versions_of
from marketplace.api.viewsets import PublicViewSet
from marketplace.db.compiled_queries import BindParam, CompiledQuery
from marketplace.http_cache.responses import is_not_modified
from marketplace.http_cache.store import cache_key
from marketplace.http_cache.validators import Validator

# Raise it whenever the same rows are shown in another way: a client that holds the old answer must
# not be told that nothing has changed. tests/api/test_etag_shape.py notices a change.
SHAPE = 1


def prepared_details(queryset):
    """A queryset of one slug, prepared: the whole entry, and only what tells its versions apart."""
    entry = queryset.filter(slug=BindParam("slug")).order_by()
    return CompiledQuery(lambda: entry), CompiledQuery(lambda: versions_of(entry))


class CatalogueViewSet(PublicViewSet):
    """Reading one kind of entry: a list with filters, and the detail of one slug."""

    allows_any_origin = True
    lookup_field = "slug"
    lookup_value_regex = "[^/]+"
    default_response_headers = {"Cache-Control": "public, no-cache"}
    list_query_class = None
    detail_serializer_class = None
    by_slug = None
    versions_by_slug = None

    def list(self, request):
        page = self.list_query_class(self.query).page()

        def build():
            rows = self.get_serializer(page.rows, many=True).data
            return page.envelope(request, self.query, rows)

        return self.answer(request, [page.count, page.shown], page.validator, build)

    def retrieve(self, request, slug):
        entry, validator = self.get_published(slug)
        return self.answer(
            request, validator.seen, validator, lambda: self.detail_serializer_class(entry).data
        )

    @classmethod
    def get_published(cls, slug):
        """The published entry in detail, and the validator for it. Raises the kind's NotFound."""
        # What is no slug is in no row either, and may hold what PostgreSQL refuses to read.
        entry = cls.by_slug.first(slug=slug) if is_slug.regex.search(slug) else None
        if entry is None:
            raise cls.queryset.model.NotFound
        seen = [versions(entry, cls.by_slug.queryset)]
        return entry, Validator(partial(cls.versions_by_slug, slug=slug), seen)

    def answer(self, request, shown, validator, build):
        """The answer that `build` makes of what is shown; 304 where the client has it already."""
        state = repr((settings.VERSION, SHAPE, cache_key(request.META), shown))
        etag = f'"{salted_hmac("catalogue.etag", state).hexdigest()[:32]}"'
        if is_not_modified(request.META, etag):
            return HttpResponseNotModified(headers={"ETag": etag})
        response = Response(build(), headers={"ETag": etag})
        response.validator = validator
        return response


class SkillViewSet(CatalogueViewSet):
    queryset = Skill.objects.published().with_row_version()
    by_slug, versions_by_slug = prepared_details(queryset.in_detail())
    list_query_class = SkillListQuery
    serializer_class = serializers.SkillSerializer
    detail_serializer_class = serializers.SkillDetailSerializer


class PersonaViewSet(CatalogueViewSet):
    queryset = Persona.objects.published().with_row_version()
    by_slug, versions_by_slug = prepared_details(queryset.in_detail())
    list_query_class = PersonaListQuery
    serializer_class = serializers.PersonaSerializer
    detail_serializer_class = serializers.PersonaDetailSerializer
