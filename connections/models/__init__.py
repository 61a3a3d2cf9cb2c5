from connections.models.clients import OAuthClient
from connections.models.codes import AuthorizationCode
from connections.models.connections import Connection
