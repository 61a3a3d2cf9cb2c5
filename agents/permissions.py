from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission

from agents.authentication import BearerAuthentication
from agents.exceptions import ConnectionCannotManageTokens
from marketplace.features import has_connectors


class NotOfConnection(BasePermission):
    """Refuses the token of a connection what would outlast it (contract 35.9).

    A view that ignores tokens looks for one, because an assistant must not leave its agent, either.
    """

    def has_permission(self, request, view):
        token = request.auth or (has_connectors() and sent_token(request))
        if token and token.connection_id is not None:
            raise ConnectionCannotManageTokens
        return True


def sent_token(request):
    """The usable token that the request has, or None."""
    try:
        result = BearerAuthentication().authenticate(request)
    except AuthenticationFailed:
        return None
    return result and result[1]
