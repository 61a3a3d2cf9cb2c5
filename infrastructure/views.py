"""A view base without the parts of DRF that a JSON-only API does not use.

DRF wraps each request to choose among parsers, and makes a template response to choose among
renderers. Here a view gets Django's own request and renders at once. Authenticators, permissions,
throttles, serializers, routers and the exception handler remain DRF's.
"""

from rest_framework.response import Response


class ThinView:
    """Put it before DRF's APIView or a viewset. The view has one parser and one renderer."""

    format_kwarg = None

    def initialize_request(self, request, *_, **__):
        self.action = self.action_map.get(request.method.lower())
        request.user = request.auth = None
        return request

    def initial(self, request, *_, **__):
        self.perform_authentication(request)
        self.check_permissions(request)
        self.check_throttles(request)

    def perform_authentication(self, request):
        for authenticator in self.get_authenticators():
            result = authenticator.authenticate(request)
            if result is not None:
                request.user, request.auth = result
                return

    def raise_uncaught_exception(self, exc):
        raise exc

    def finalize_response(self, _request, response, *_, **__):
        if isinstance(response, Response):
            [renderer] = self.get_renderers()
            response["Content-Type"] = renderer.media_type
            response.content = renderer.render(response.data)
        for name, value in self.headers.items():
            response[name] = value
        return response
