"""The root of the API, which lists the endpoints (contract 21.4)."""

from django.conf import settings
from django.urls import reverse
from drf_spectacular.utils import extend_schema

from infrastructure.http_cache.validators import ALWAYS_FRESH
from marketplace.access import Audience
from marketplace.api.fields import TextField, UrlField
from marketplace.api.links import base_url
from marketplace.api.responses import conditional_response
from marketplace.api.serializers import ResponseSerializer
from marketplace.api.viewsets import PublicReadingViewSet
from marketplace.features import has_submissions

NAME = "Agent marketplace"
ROUTES = {
    "skills": "skills-list",
    "personas": "personas-list",
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
    "submissions": "submission-list",
    "revoke": "leaked-token-revoke",
    "openapi": "openapi",
    "docs": "docs",
    "skillMd": "guide",
    "mcp": "mcp",
}


def routes():
    """The routes that this marketplace has."""
    return {name: ROUTES[name] for name in ROUTES if name != "submissions" or has_submissions()}


class LinksSerializer(ResponseSerializer):
    vars().update(
        {name: UrlField(initial=f"https://marketplace.example/api/v1/{name}") for name in routes()}
    )


class RootSerializer(ResponseSerializer):
    name = TextField(initial=NAME)
    version = TextField(initial="1.0.0")
    links = LinksSerializer()


class RootViewSet(PublicReadingViewSet):
    audience = Audience.EVERYONE

    @extend_schema(
        operation_id="get_root",
        tags=["Catalogue"],
        summary="List the endpoints",
        description="The URLs of all endpoints, of this document, of the guide for agents and of "
        "MCP. The URL of an entry starts with the URL of its list.",
        responses={200: RootSerializer},
    )
    def list(self, request):
        def build():
            links = {name: reverse(route) for name, route in routes().items()}
            root = {"name": NAME, "version": settings.VERSION, "links": links}
            return self.respond(RootSerializer, root)

        return conditional_response(request, base_url(request), ALWAYS_FRESH, build)
