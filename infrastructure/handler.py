"""Django's WSGI handler, which looks up a path without parameters instead of matching patterns."""

from django.core.handlers.wsgi import WSGIHandler


class Handler(WSGIHandler):
    """Keeps the match of each literal path in the URLconf. There are as many as endpoints."""

    def __init__(self):
        super().__init__()
        self.matches = {}

    def resolve_request(self, request):
        match = self.matches.get(request.path_info)
        if match is None:
            match = super().resolve_request(request)
            if is_literal(match.route, request.path_info):
                self.matches[request.path_info] = match
        request.resolver_match = match
        return match


def is_literal(route, path):
    """Whether a route is exactly this path, with or without its trailing slash."""
    return route.replace("^", "").removesuffix("/?$") == path.strip("/")
