"""The kinds of API view: for agents with a token, for everyone, for readers of the catalogue."""

from functools import cache

from django.conf import settings
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.viewsets import GenericViewSet

from infrastructure.http_cache.headers import PUBLIC
from infrastructure.http_cache.validators import Read
from infrastructure.views import ThinView
from marketplace import access
from marketplace.access import Audience
from marketplace.api.pagination import KeysetPagination
from marketplace.api.query_params import query_parameters
from marketplace.api.responses import cached
from marketplace.api.scopes import Scope


class IgnoreClientContentNegotiation(BaseContentNegotiation):
    """Responds in JSON whatever the client accepts: there is no 406."""

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type


class ApiViewSet(*([] if settings.PLAIN else [ThinView]), GenericViewSet):
    """A view for authenticated agents; subclasses name the `required_scope`."""

    content_negotiation_class = IgnoreClientContentNegotiation
    http_method_names = ["get", "head", "post", "patch", "delete"]
    audience = Audience.AGENTS
    required_scope = None
    is_conditional = False  # its responses have an ETag

    def dispatch(self, request, *args, **kwargs):
        response = super().dispatch(request, *args, **kwargs)
        # DRF's view and request refer to each other. With its response, a view would keep the
        # bytes of an archive until the garbage collector comes.
        self.response = None
        return response

    def initial(self, request, *args, **kwargs):
        # DRF would look at the token first; a 405 comes before a 401 (contract 3.2).
        method = request.method
        if method.lower() not in self.http_method_names or not hasattr(self, method.lower()):
            raise MethodNotAllowed(method)
        super().initial(request, *args, **kwargs)
        if method in {"GET", "HEAD"}:
            self.query = query_parameters(request)

    def validated(self, request):
        """The request's body as the action's serializer reads it, or a 400 (415, 413)."""
        body = self.parsed_body(request)
        query_parameters(request)
        return reader(self.get_serializer_class()).read(body)

    def parsed_body(self, request):
        """What the parser reads, not `request.data`: DRF asks no parser about an empty body."""
        [parser] = self.get_parsers()
        return parser.parse(request, request.META.get("CONTENT_TYPE", ""), {"request": request})

    @property
    def default_response_headers(self):
        return {"Cache-Control": "no-store"}

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in getattr(request, "rate_limit_headers", {}).items():
            response[name] = value
        return response


@cache
def reader(serializer_class):
    """One instance for all bodies of a kind: making its fields takes longer than reading a body."""
    return serializer_class()


class PublicViewSet(ApiViewSet):
    """A view for everyone: an Authorization header, whatever it holds, is ignored.

    Subclasses name the `audience`, because "everyone" may not be everyone.
    """

    audience = None
    authentication_classes = []
    permission_classes = []


class PublicReadingViewSet(PublicViewSet):
    """A view that responds to everyone alike: to caches, and to scripts of any site."""

    allows_any_origin = True
    is_conditional = True
    default_response_headers = {"Cache-Control": PUBLIC}


class CatalogueViewSet(access.AsksReaders, PublicReadingViewSet):
    """A view that names entries: for everyone, or for members only (contract 26.5)."""

    audience = Audience.READERS
    required_scope = Scope.READ  # where it asks for a token
    actions_for_people = ()  # what pages link to

    def get_authenticators(self):
        return [] if access.is_public() else [access.authenticator()]

    def get_permissions(self):
        return [] if access.is_public() else [access.MayRead()]

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        return response if access.is_public() else access.keep_private(response)


class CatalogueListViewSet(CatalogueViewSet):
    """A list of the catalogue."""

    pagination_class = KeysetPagination
    filterset_class = None

    def cached_page(self, request, rows):
        """A page of Rows."""
        page = self.paginate_queryset(rows)
        rows = self.paginator.rows
        read = Read(page, rows.validator, [rows.count, rows.versions])
        return cached(
            request,
            read,
            self.get_serializer_class(),
            many=True,
            respond=self.get_paginated_response,
        )
