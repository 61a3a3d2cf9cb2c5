from marketplace import access
from marketplace.middleware.pages import resolver_match


class CorsMiddleware:
    """Lets scripts of any site read a viewset that sets `allows_any_origin`.

    Such a viewset responds to everyone alike, so there is nothing to steal. A members-only
    catalogue is read with a token or a session, and is left out. Simple requests need no
    preflight, and get none. This middleware wraps those that refuse requests, so that their
    errors carry the headers.
    """

    HEADERS = {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "Content-Range, ETag, Retry-After, X-Request-ID",
    }

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if request.method in {"GET", "HEAD"} and self.allows_any_origin(request):
            for name, value in self.HEADERS.items():
                response[name] = value
        return response

    def allows_any_origin(self, request):
        match = resolver_match(request)
        viewset = access.view_class_of(match.func) if match else None
        if not getattr(viewset, "allows_any_origin", False):
            return False
        return access.is_public() or viewset.audience is not access.Audience.READERS
