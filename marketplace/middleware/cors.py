from http import HTTPMethod

from django.http import HttpResponse

from marketplace import access
from marketplace.features import has_connectors
from marketplace.middleware.pages import resolver_match


class CorsMiddleware:
    """Lets scripts of any site read a viewset that sets `allows_any_origin`.

    Such a viewset responds to everyone alike, so there is nothing to steal. A members-only
    catalogue is read with a token or a session, and is left out. Simple requests need no
    preflight, and get none. This middleware wraps those that refuse requests, so that their
    errors carry the headers.

    A client of OAuth may be a script, which also posts, and names its protocol in a header. So a
    viewset that sets `answers_preflights` answers them (contract 35.5). No cookie opens it.
    """

    HEADERS = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "Content-Range, ETag, Retry-After, X-Request-ID",
    }

    EXPOSED = "Content-Range, ETag, Retry-After, WWW-Authenticate, X-Request-ID"
    PREFLIGHT = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "GET, HEAD, POST",
        # "*" does not include Authorization.
        "Access-Control-Allow-Headers": "Authorization, Content-Type, Last-Event-ID, Mcp-Method, "
        "Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id",
        "Access-Control-Max-Age": "86400",
    }

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        is_preflight = (
            request.method == HTTPMethod.OPTIONS
            and "Access-Control-Request-Method" in request.headers
        )
        if is_preflight and self.answers_preflights(request):
            return HttpResponse(status=204, headers=self.PREFLIGHT)
        response = self.get_response(request)
        for name, value in self.headers_for(request).items():
            response[name] = value
        return response

    def headers_for(self, request):
        if self.answers_preflights(request):
            return self.HEADERS | {"Access-Control-Expose-Headers": self.EXPOSED}
        is_read = request.method in {"GET", "HEAD"}
        return self.HEADERS if is_read and self.allows_any_origin(request) else {}

    def viewset_of(self, request):
        match = resolver_match(request)
        return access.view_class_of(match.func) if match else None

    def answers_preflights(self, request):
        return has_connectors() and getattr(self.viewset_of(request), "answers_preflights", False)

    def allows_any_origin(self, request):
        viewset = self.viewset_of(request)
        if not getattr(viewset, "allows_any_origin", False):
            return False
        return access.is_public() or viewset.audience is not access.Audience.READERS
