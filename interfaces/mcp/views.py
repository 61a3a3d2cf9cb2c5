from interfaces.mcp.authentication import MessageParser, check_token, signs_in
from interfaces.mcp.server import respond
from marketplace.access import Audience
from marketplace.api.exceptions import BadRequest
from marketplace.api.viewsets import PublicViewSet

CORE = "core"  # the shorter list of tools


class McpViewSet(PublicViewSet):
    """MCP's streamable HTTP without sessions: each POST holds one message, the response is JSON.

    A body that is no JSON object is refused as everywhere (contract 2.1). Messages need no token,
    but a token that is not usable is refused.
    Any Origin may call: there are no cookies to abuse, and the host is checked.
    """

    audience = Audience.EVERYONE  # the API and skills.py ask the rule
    parser_classes = [MessageParser]

    def initial(self, request, *args, **kwargs):
        # Some clients begin by asking for a stream, and sign in if that is a 401 (contract 35.10).
        if request.method == "GET" and signs_in(request):
            check_token(request)
        super().initial(request, *args, **kwargs)

    def create(self, request):
        message = request.data
        if request.GET.getlist("tools") not in ([], [CORE]):
            raise BadRequest(f"tools must be {CORE}")
        return respond(request, message)


class ConnectorViewSet(McpViewSet):
    """The same for clients that sign in by OAuth (contract 35.9): every message needs a token."""

    answers_preflights = True
