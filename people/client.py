"""The client of the code flow (contract 32.2, 32.4, 32.6): authlib's, within our own bounds.

authlib's integration for Django would fetch with `requests`, which no deadline bounds, and keeps
its state in the session, which the browser does not send on the way back.
"""

import time
from functools import partial
from urllib.parse import urlencode

from authlib.oauth2 import OAuth2Client, OAuth2Error
from authlib.oidc.core import CodeIDToken
from django.conf import settings
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables
from joserfc.errors import JoseError

from marketplace.api.links import base_url
from marketplace.documents import Unreachable, post_form, within_bounds
from marketplace.id_tokens import LEEWAY, IdToken, IdTokenRefused
from marketplace.issuers import own_path
from people.exceptions import INVALID, SignInRefused
from people.models import MAX_SUBJECT

SCOPES = ["openid", "profile"]
# The parts of a token response that are kept. authlib would compute with its times, too, and fails
# on an `error_description` of several lines, as Microsoft Entra's are.
KEPT = ["error", "id_token"]


class SignInToken(IdToken):
    """The nonce binds it to one sign-in. Some providers let it last for hours all the same."""

    max_lifetime = 24 * 3600
    must_name_key = False  # A provider with one key need not (OpenID Connect Core 10.1).


class BoundedSession:
    """In place of the session of an HTTP library: posts to the provider within the bounds."""

    def __init__(self, provider):
        self.provider = provider

    @sensitive_variables()
    def post(self, url, data, headers, auth):
        """authlib's request to the token endpoint. Raises Busy and Unreachable."""
        path = own_path(self.provider.url, url, "its token endpoint is")
        _, headers, form = auth.prepare("POST", url, dict(headers), urlencode(data))
        post = partial(post_form, path=path, form=form, headers=headers)
        return TokenResponse(*within_bounds(lambda: True, post, self.provider.url))


class TokenResponse:
    """What authlib reads of a response."""

    def __init__(self, status_code, document):
        self.status_code = status_code
        self.document = {name: document[name] for name in KEPT if name in document}

    def json(self):
        return self.document

    def raise_for_status(self):
        if self.status_code >= 400:
            raise Unreachable(f"its token endpoint answers {self.status_code}")


def client_of(provider, request):
    has_post = "client_secret_post" in provider.metadata["methods"]
    # Asked for only where it is known: other providers refuse a scope that they do not know.
    groups = [scope for scope in ("groups",) if scope in provider.metadata["scopes"]]
    return OAuth2Client(
        BoundedSession(provider),
        client_id=settings.OIDC_CLIENT_ID,
        client_secret=settings.OIDC_CLIENT_SECRET,
        token_endpoint_auth_method="client_secret_post" if has_post else "client_secret_basic",
        code_challenge_method="S256",
        redirect_uri=base_url(request) + reverse("sign-in-callback"),
        scope=" ".join([*SCOPES, *groups]),
    )


def authorization_url(provider, request, flow):
    """Where the browser signs in."""
    url, _ = client_of(provider, request).create_authorization_url(
        provider.metadata["authorization_endpoint"],
        state=flow.state,
        code_verifier=flow.verifier,
        nonce=flow.nonce,
        prompt="none" if flow.is_silent else None,
    )
    return url


@sensitive_variables()
def claims_of(provider, request, flow):
    """The verified claims of the person behind the callback's code.

    Raises SignInRefused, IssuerUnavailable, Busy and Unreachable.
    """
    try:
        token = client_of(provider, request).fetch_token(
            provider.metadata["token_endpoint"],
            grant_type="authorization_code",
            code=request.GET["code"],
            code_verifier=flow.verifier,
        )
    except OAuth2Error as error:
        raise SignInRefused(INVALID, f"the provider refuses the code: {error.error!r}") from error
    try:
        return verified(provider, token.get("id_token"), flow.nonce)
    except IdTokenRefused as error:
        raise SignInRefused(INVALID, f"the ID token is refused: {error.reason}") from error


@sensitive_variables()
def verified(provider, text, nonce):
    """The claims of an ID token. Raises IdTokenRefused and IssuerUnavailable."""
    if not isinstance(text, str):
        raise IdTokenRefused("there is none")
    id_token = SignInToken(text)
    if id_token.issuer != provider.url:
        raise IdTokenRefused("its issuer is another one")
    id_token.verify(provider.key_of(id_token))
    claims = CodeIDToken(
        id_token.claims,
        {"alg": id_token.algorithm},
        {"aud": {"essential": True, "value": settings.OIDC_CLIENT_ID}},
        {"nonce": nonce, "client_id": settings.OIDC_CLIENT_ID},
    )
    try:
        claims.validate(int(time.time()), LEEWAY)
    except JoseError as error:
        raise IdTokenRefused(f"{type(error).__name__}: {error}") from error
    if claims.get("azp", settings.OIDC_CLIENT_ID) != settings.OIDC_CLIENT_ID:
        raise IdTokenRefused("its azp is another client")  # authlib accepts an empty one
    if not 0 < len(claims["sub"]) <= MAX_SUBJECT:
        raise IdTokenRefused("its subject is empty or too long")
    return claims
