"""The root of the API, which names what there is (lifecycle 19)."""

from django.conf import settings
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from marketplace.api.links import base_url
from marketplace.api.schemas import TEXT, URL, component, like, object_schema
from marketplace.api.viewsets import PublicReadingViewSet
from marketplace.http_cache.responses import conditional_response
from marketplace.http_cache.validators import ALWAYS_FRESH

NAME = "Agent marketplace"
ROUTES = {
    "skills": "skill-list",
    "personas": "persona-list",
    "facets": "facet-list",
    "changes": "change-list",
    "register": "registration-register",
    "profile": "profile-me",
    "manifest": "manifest-manifest",
    "limits": "profile-limits",
    "tokens": "token-list",
    "ownSkills": "skill-install-list",
    "ownPersonas": "persona-install-list",
    "ownReviews": "review-list",
    "reports": "report-list",
    "revoke": "leaked-token-revoke",
    "openapi": "openapi",
    "docs": "docs",
    "skillMd": "guide",
    "mcp": "mcp",
}


class RootSerializer(BaseSerializer):
    """The complete addresses of the API's parts, which begin with the `base`."""

    schema = component(
        "Root",
        object_schema(
            {
                "name": like(TEXT, NAME),
                "version": like(TEXT, "1.0.0"),
                "links": object_schema(
                    {
                        name: like(URL, f"https://marketplace.example/api/v1/{name}")
                        for name in ROUTES
                    }
                ),
            }
        ),
    )

    def to_representation(self, base):
        links = {name: base + reverse(route) for name, route in ROUTES.items()}
        return {"name": NAME, "version": settings.VERSION, "links": links}


class RootViewSet(PublicReadingViewSet):
    @extend_schema(
        operation_id="get_root",
        tags=["Catalogue"],
        summary="Read what the API has",
        description="The addresses of its endpoints, of this document, of the guide for agents "
        "and of MCP. Those of one entry begin with those of its list.",
        responses={200: RootSerializer},
    )
    def list(self, request):
        base = base_url(request)
        return conditional_response(
            request, base, ALWAYS_FRESH, lambda: Response(RootSerializer(base).data)
        )
