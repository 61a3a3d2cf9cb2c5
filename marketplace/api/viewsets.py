"""The kinds of API view: for agents with a token, for everyone, for readers of the catalogue."""

from functools import cache, partial

from rest_framework.exceptions import MethodNotAllowed
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from infrastructure.http_cache.headers import PUBLIC
from marketplace import access
from marketplace.access import Audience
from marketplace.api.exceptions import NO_SUCH_PATH, NotFound
from marketplace.api.query_params import query_parameters
from marketplace.api.requests import ApiRequest
from marketplace.api.responses import cacheable_response
from marketplace.api.scopes import Scope


class ApiViewSet(GenericViewSet):
    """A view for authenticated agents; subclasses name the `required_scope`."""

    http_method_names = ["get", "head", "post", "patch", "delete"]
    audience = Audience.AGENTS
    required_scope = None
    is_conditional = False  # its responses have an ETag

    @property
    def scopes(self):
        """The scopes of which each allows the request."""
        return [self.required_scope]

    @classmethod
    def exists(cls):
        """Whether this marketplace has the view's paths. If not, they are 404s like any other."""
        return True

    def dispatch(self, request, *args, **kwargs):
        response = super().dispatch(request, *args, **kwargs)
        if isinstance(response, Response):
            response.render().renderer_context = None
        # DRF's view refers to itself, and so does its response once it is rendered. The rows and
        # the bytes would stay until the garbage collector runs.
        self.__dict__.clear()
        return response

    def initialize_request(self, request, *args, **kwargs):
        self.action = self.action_map.get(request.method.lower())
        return ApiRequest(request, self.get_parsers(), self.get_authenticators())

    def perform_content_negotiation(self, request, force=False):  # noqa: FBT002 - DRF's signature
        """JSON, whatever the client accepts: there is no 406."""
        [renderer] = self.get_renderers()
        return renderer, renderer.media_type

    def initial(self, request, *args, **kwargs):
        if not self.exists():
            raise NotFound(NO_SUCH_PATH)
        # DRF would check the token first, but a 405 comes before a 401 (contract 3.2).
        method = request.method
        if method.lower() not in self.http_method_names or not hasattr(self, method.lower()):
            raise MethodNotAllowed(method)
        super().initial(request, *args, **kwargs)
        if method in {"GET", "HEAD"}:
            self.query = query_parameters(request)

    def perform_authentication(self, request):
        # DRF's `request.user` first looks for the user in two places, which takes 11 µs.
        request._authenticate()  # noqa: SLF001

    def validated(self, request):
        """The request's body, validated by the action's serializer. Raises 415, 413 or 400."""
        body = request.data
        query_parameters(request)
        return shared_serializer(self.get_serializer_class()).read(body)

    def respond(self, serializer_class, instance, status=None):
        """The response that the serializer makes of the instance."""
        serializer = serializer_class(instance, context=self.get_serializer_context())
        return Response(serializer.data, status)

    @property
    def default_response_headers(self):
        return {"Cache-Control": "no-store"}

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        for name, value in request.rate_limit_headers.items():
            response[name] = value
        return response


@cache
def shared_serializer(serializer_class):
    """One instance for all bodies of a kind, because making its fields costs more than reading."""
    return serializer_class()


class PublicViewSet(ApiViewSet):
    """A view for everyone. It ignores the Authorization header, unless it names an authentication.

    Subclasses name the `audience`, because "everyone" may mean members only.
    """

    audience = None
    authentication_classes = []
    permission_classes = []


class SharedResponsesMixin:
    """For a view that responds to everyone alike, including caches and scripts of any site."""

    allows_any_origin = True
    is_conditional = True
    default_response_headers = {"Cache-Control": PUBLIC}


class PublicReadingViewSet(SharedResponsesMixin, PublicViewSet):
    """A view that responds to everyone alike."""


class CatalogueViewSet(access.AsksReaders, SharedResponsesMixin, ApiViewSet):
    """A view that names entries (contract 26.5).

    In a public catalogue it ignores tokens, and its responses are shared. In one for members it
    requires a token with `read`, and its responses are private.
    """

    audience = Audience.READERS
    required_scope = Scope.READ  # if it requires a token
    actions_for_people = ()  # actions that pages link to

    def get_authenticators(self):
        return [] if access.is_public() else [access.authenticator()]

    def get_permissions(self):
        return [] if access.is_public() else [access.MayRead()]

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        return response if access.is_public() else access.keep_private(response)


class CatalogueListViewSet(CatalogueViewSet):
    """A list of the catalogue."""

    query_class = None

    def page_response(self, request, page):
        """The response to a KeysetPage."""
        serializer = self.get_serializer_class()
        respond = partial(page.get_paginated_response, request=request)
        return cacheable_response(request, page.read, serializer, many=True, respond=respond)
