"""The right to read skills over MCP, for handlers that send no request to the API."""

from interfaces.mcp.protocol import INVALID_PARAMS, MCPError
from marketplace import access
from marketplace.api.exceptions import AuthenticationRequired, InsufficientScope


def check(request):
    """Raise MCPError with the API's sentence where this request may not read the catalogue."""
    try:
        access.check_request(request)
    except InsufficientScope as error:
        raise MCPError(INVALID_PARAMS, str(error.detail)) from error
    except access.REFUSALS as error:
        raise MCPError(INVALID_PARAMS, AuthenticationRequired.default_detail) from error
