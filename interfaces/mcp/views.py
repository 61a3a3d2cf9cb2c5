from marketplace.access import Audience
from marketplace.api.exceptions import BadRequest
from marketplace.api.viewsets import PublicViewSet

CORE = "core"  # the shorter list of tools


class McpViewSet(PublicViewSet):
    """MCP's streamable HTTP without sessions: each POST holds one message, the response is JSON.

    A body that is no JSON object is refused before the SDK reads it, as everywhere (contract 2.1).
    Any Origin may call: there are no cookies to abuse, and the host is checked.
    """

    audience = Audience.EVERYONE  # the API and readers.py ask the rule

    def create(self, request):
        if request.GET.getlist("tools") not in ([], [CORE]):
            raise BadRequest(f"tools must be {CORE}")
        message = self.parsed_body(request)
        # The SDK would take a call with another id for a notification, and drop it.
        if "id" in message and type(message["id"]) not in {int, str}:
            raise BadRequest("id must be a string or a whole number")
        # The SDK takes longer to import than the rest of the project, and only the web processes
        # need it. They have it by now (marketplace/wsgi.py).
        from interfaces.mcp.server import respond  # noqa: PLC0415

        return respond(request)
