import logging

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpResponsePermanentRedirect
from django.middleware.csrf import CsrfViewMiddleware

from marketplace.middleware.errors import HTTPS_REQUIRED, error_response
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
    """Refuses plain HTTP requests to the API, MCP and git, and redirects all others.

    A redirect of these would hide that the token has already traveled in the clear
    (contract 24.5).
    """

    WITH_TOKENS = ("/api", "/mcp", "/git/")

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        if not settings.REQUIRE_HTTPS or request.is_secure():
            return self.get_response(request)
        if request.path.startswith(self.WITH_TOKENS):
            return error_response(403, HTTPS_REQUIRED)
        base = settings.PUBLIC_URL or f"https://{request.get_host()}"
        return HttpResponsePermanentRedirect(f"{base}{request.get_full_path()}")


class UntrustedProxyMiddleware:
    """Logs a warning that a proxy's headers are ignored, which clients cannot notice."""

    def __init__(self, get_response):
        if settings.TRUSTED_PROXY_COUNT or not settings.REQUIRE_HTTPS:
            raise MiddlewareNotUsed
        self.get_response = get_response
        self.has_warned = False

    def __call__(self, request):
        if not self.has_warned and request.headers.get("X-Forwarded-Proto", "").startswith("https"):
            self.has_warned = True
            logger.warning(
                "A request that says X-Forwarded-Proto: https is refused or redirected, because no "
                "proxy is trusted. If the deployment's own proxy wrote that header, set "
                "TRUSTED_PROXY_COUNT to the number of proxies in front (1 behind a PaaS router)."
            )
        return self.get_response(request)
