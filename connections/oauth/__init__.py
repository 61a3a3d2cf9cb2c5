"""authlib's authorization server on our rows (contract 35). Nothing else imports that.

Descriptions of errors are fixed texts: authlib raises ValueError for characters that RFC 6749
excludes.
"""

from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import InvalidClientError

from connections.oauth.messages import JsonOAuthRequest, OAuthRequest
from connections.oauth.metadata import metadata
from connections.oauth.server import OAuthServer
