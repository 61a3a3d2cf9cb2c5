import logging

from django.conf import settings
from django.http import HttpResponsePermanentRedirect
from django.middleware.csrf import CsrfViewMiddleware

from marketplace.api.exceptions import HttpsRequired
from marketplace.features import has_connectors
from marketplace.middleware.errors import error_response
from marketplace.middleware.pages import has_method, is_admin, is_page, resolver_match

logger = logging.getLogger(__name__)


class FormCsrfMiddleware(CsrfViewMiddleware):
    """Django's CSRF check, which leaves the cookies of an exempt view alone.

    Django would replace a malformed cookie in any response, and the cache would store it. A method
    that the view lacks is a 405, not a forgery (contract 3.4).
    """

    def process_request(self, request):
        pass

    def process_view(self, request, view, *arguments):
        if getattr(view, "csrf_exempt", False) or not has_method(view, request.method):
            return None
        super().process_request(request)
        return super().process_view(request, view, *arguments)


class ContentSecurityPolicyMiddleware:
    """Pages load files from this site only, and no site frames them.

    A view may set a stricter policy.
    """

    PAGE = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    # The admin's theme evaluates the expressions in its templates. No page has an inline script.
    ADMIN = PAGE.replace("script-src 'self'", "script-src 'self' 'unsafe-eval'")
    DATA = "default-src 'none'; frame-ancestors 'none'"

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy(request))
        return response

    def policy(self, request):
        if not is_page(request):
            return self.DATA
        return self.ADMIN if is_admin(resolver_match(request)) else self.PAGE


class RequireHttpsMiddleware:
    """Refuses plain HTTP requests to the API, MCP, OAuth and git, and redirects all others.

    With a token, a redirect would hide that the token has already traveled in the clear
    (contract 24.5). The log says why a request counts as plain, once for each reason: a client
    cannot tell that the headers of the proxy in front are missing, or not believed.
    """

    WITH_TOKENS = ("/api", "/mcp", "/git/")

    def __init__(self, get_response):
        self.get_response = get_response
        self.logged = set()

    def __call__(self, request):
        if not settings.REQUIRE_HTTPS or request.is_secure():
            return self.get_response(request)
        is_refused = request.path.startswith(self.WITH_TOKENS) or (
            has_connectors() and request.path.startswith("/oauth/")
        )
        self.log(reason_of_plain(request), is_refused=is_refused)
        if is_refused:
            return error_response(403, HttpsRequired.default_detail)
        base = settings.PUBLIC_URL or f"https://{request.get_host()}"
        return HttpResponsePermanentRedirect(f"{base}{request.get_full_path()}")

    def log(self, reason, *, is_refused):
        # It is normal that a browser tries http:// first.
        if reason not in self.logged and (is_refused or reason is not CLIENT_USED_HTTP):
            self.logged.add(reason)
            logger.warning("A request got %s", reason)


CLIENT_USED_HTTP = (
    "403 HTTPS is required: its X-Forwarded-Proto is not https, so the client used http://."
)
NO_HEADER_FROM_PROXY = (
    "403 HTTPS is required or a redirect, because it has no X-Forwarded-Proto: have the proxy in "
    "front set that header, for example to $scheme in nginx."
)
PROXY_NOT_TRUSTED = (
    "403 HTTPS is required or a redirect: it says X-Forwarded-Proto: https, but no proxy is "
    "trusted. If the deployment's own proxy wrote that header, set TRUSTED_PROXY_COUNT to the "
    "number of proxies in front (1 behind a PaaS router)."
)
NO_PROXY = (
    "403 HTTPS is required or a redirect, because it came over plain HTTP without "
    "X-Forwarded-Proto: https. Put a proxy that ends TLS in front, or set REQUIRE_HTTPS=false "
    "where only your own machine or network reaches the server."
)


def reason_of_plain(request):
    """Why a request does not count as HTTPS, and what to do about it."""
    scheme = request.headers.get("X-Forwarded-Proto", "")
    if not settings.TRUSTED_PROXY_COUNT:
        return PROXY_NOT_TRUSTED if scheme.startswith("https") else NO_PROXY
    return CLIENT_USED_HTTP if scheme else NO_HEADER_FROM_PROXY
