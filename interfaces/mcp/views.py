from marketplace.api.exceptions import BadRequest
from marketplace.api.parsers import json_body
from marketplace.api.viewsets import PublicViewSet


class McpViewSet(PublicViewSet):
    """MCP's streamable HTTP without sessions: one message is a POST, and its answer is JSON.

    What is no JSON object is refused before the protocol is asked, as everywhere (contract 1).
    Any Origin may call: there are no cookies here to abuse, and the host is checked.
    """

    def create(self, request):
        message = json_body(request)
        # The SDK would take a call with another id for a notification, and drop it.
        if "id" in message and type(message["id"]) not in {int, str}:
            raise BadRequest("id must be a string or a whole number")
        # The SDK takes longer to import than all the rest; only who speaks MCP pays for it.
        from interfaces.mcp.server import answer  # noqa: PLC0415

        return answer(request)
