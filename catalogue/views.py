from hashlib import sha256

from django.http import HttpResponseNotModified
from django.utils.http import parse_etags
from rest_framework.response import Response

from catalogue.listing import PersonaListing, SkillListing
from catalogue.models import Persona, Skill
from catalogue.serializers import (
    PersonaDetailSerializer,
    PersonaSerializer,
    SkillDetailSerializer,
    SkillSerializer,
)
from marketplace.viewsets import PublicViewSet


class CatalogueViewSet(PublicViewSet):
    """Reading one kind of entry: a list with filters, and the detail of one slug."""

    lookup_field = "slug"
    lookup_value_regex = "[^/]+"
    default_response_headers = {"Cache-Control": "public, no-cache"}
    listing_class = None
    detail_serializer_class = None

    def list(self, request):
        page = self.listing_class(self.query).page(self.get_queryset().without_texts())
        rows = self.get_serializer(page.rows, many=True).data
        return Response(page.envelope(request, self.query, rows))

    def retrieve(self, request, slug):
        entry = self.get_queryset().by_slug(slug)
        return Response(self.detail_serializer_class(entry).data)

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        if response.status_code == 200:
            response.add_post_render_callback(lambda rendered: tagged(request, rendered))
        return response


def tagged(request, response):
    """The response with its ETag, or 304 where the client has this very answer already."""
    etag = f'"{sha256(response.content).hexdigest()[:32]}"'
    known = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    if "*" in known or etag in {tag.removeprefix("W/") for tag in known}:
        response = HttpResponseNotModified(headers={"Cache-Control": response["Cache-Control"]})
    response["ETag"] = etag
    return response


class SkillViewSet(CatalogueViewSet):
    queryset = Skill.objects.published()
    listing_class = SkillListing
    serializer_class = SkillSerializer
    detail_serializer_class = SkillDetailSerializer


class PersonaViewSet(CatalogueViewSet):
    queryset = Persona.objects.published().with_skill_slugs()
    listing_class = PersonaListing
    serializer_class = PersonaSerializer
    detail_serializer_class = PersonaDetailSerializer
