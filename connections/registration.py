"""The checks of what a client says of itself when it registers (contract 35.11, 35.12)."""

from connections import redirect_uris
from connections.exceptions import InvalidMetadata, InvalidRedirectUri
from connections.models import OAuthClient
from marketplace.api.scopes import DEFAULT_SCOPES
from marketplace.models import max_length
from marketplace.names import has_controls
from marketplace.secrets import holds_token

MAX_NAME = max_length(OAuthClient, "name")
# What every client gets, whatever it asks for.
GRANTED = {
    "grant_types": ["authorization_code", "refresh_token"],
    "response_types": ["code"],
    "token_endpoint_auth_method": "none",  # nosec B105
    "scope": " ".join(DEFAULT_SCOPES),
}
NEEDED = {"grant_types": "authorization_code", "response_types": "code"}


def checked(body):
    """The metadata that is kept. Raises InvalidRedirectUri and InvalidMetadata."""
    uris, name = body.get("redirect_uris"), body.get("client_name")
    check_uris(uris)
    if name is not None:
        check_name(name)
    for field, value in NEEDED.items():
        if field in body and not (isinstance(body[field], list) and value in body[field]):
            raise InvalidMetadata(f"{field} must be a list with {value}, or absent")
    return {"client_name": (name or "").strip(), "redirect_uris": uris, **GRANTED}


def check_uris(uris):
    is_list = isinstance(uris, list) and all(isinstance(uri, str) for uri in uris)
    if not is_list or not 0 < len(uris) <= OAuthClient.MAX_URIS:
        raise InvalidRedirectUri(
            f"redirect_uris must be a list of 1 to {OAuthClient.MAX_URIS} addresses"
        )
    for uri in uris:
        redirect_uris.parsed(uri)


def check_name(name):
    if not isinstance(name, str) or len(name) > MAX_NAME:
        raise InvalidMetadata(f"client_name must be a string of at most {MAX_NAME} characters")
    if has_controls(name) or holds_token(name):
        raise InvalidMetadata("client_name must not contain control or hidden characters or tokens")
