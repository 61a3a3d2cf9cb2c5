import time

from authlib.oauth2.rfc6749 import InvalidGrantError, InvalidRequestError
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7591 import (
    ClientRegistrationEndpoint,
    InvalidClientMetadataError,
    InvalidRedirectURIError,
)

from connections import registration
from connections.exceptions import InvalidMetadata, InvalidRedirectUri
from connections.models import Connection, OAuthClient


class Revocation(RevocationEndpoint):
    """RFC 7009: either token ends the connection."""

    CLIENT_AUTH_METHODS = ["none"]

    def check_params(self, request, client):
        if not request.form.get("token"):
            raise InvalidRequestError("Missing 'token' in request.")

    def query_token(self, token_string, token_type_hint):
        connection = Connection.objects.of_token(token_string)
        return None if connection is None else RevocableToken(connection)

    def revoke_token(self, token, request):
        token.connection.end("Its client revoked it", by=("agent", str(token.agent)))


class RevocableToken:
    def __init__(self, connection):
        self.connection, self.agent = connection, connection.claim.agent

    def check_client(self, client):
        if self.connection.client_id != client.row.pk:
            raise InvalidGrantError("The token is that of another client")
        return True


class Registration(ClientRegistrationEndpoint):
    """RFC 7591. It neither keeps nor shows fields that it does not know."""

    def authenticate_token(self, request):
        return True  # Everybody may.

    def extract_client_metadata(self, request):
        try:
            return registration.checked(request.payload.data)
        except InvalidRedirectUri as error:
            raise InvalidRedirectURIError(str(error)) from error
        except InvalidMetadata as error:
            raise InvalidClientMetadataError(str(error)) from error

    def generate_client_info(self, request):
        return {}

    def save_client(self, client_info, client_metadata, request):
        return OAuthClient.objects.register(
            name=client_metadata["client_name"], redirect_uris=client_metadata["redirect_uris"]
        )

    def generate_client_registration_info(self, client, request):
        issued_at = {"client_id_issued_at": int(time.time())}
        return {"client_id": client.public_id, **issued_at}
