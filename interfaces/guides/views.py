from django.conf import settings
from django.template.loader import render_to_string

from catalogue.markdown import contents, render_markdown
from marketplace import access
from marketplace.access import Audience
from marketplace.api.links import base_url
from marketplace.api.responses import public_response
from marketplace.api.viewsets import PublicReadingViewSet
from marketplace.features import has_submissions
from marketplace.middleware.security import ContentSecurityPolicyMiddleware
from marketplace.ratelimits.rates import in_words
from marketplace.ratelimits.windows import rate_of


class GuideViewSet(PublicReadingViewSet):
    """Texts that depend on the deployment's configuration and host name alone."""

    audience = Audience.EVERYONE
    parameters = {"raw"}
    file_name, media_type = None, "text/markdown"

    def robots(self, request):
        return text_response(guide("robots.txt", request), "text/plain")

    def retrieve(self, request):
        """A page for a browser, and the text for everyone else. `?raw` is always the text.

        One URL has two representations, so the cache of this process, whose key is the URL, holds
        neither. Edges ask each time, because some ignore Vary; the ETags tell the two apart.
        """
        text = guide(self.file_name, request)
        if "raw" in self.query:
            return text_response(text, self.media_type)
        self.headers = {"Cache-Control": "no-cache", "Vary": "Accept"}
        if request.get_preferred_type([self.media_type, "text/html"]) == "text/html":
            return page_response(request, self.file_name, text, self.media_type)
        return text_response(text, self.media_type, None)


def guide(name, request):
    # Names in templates cannot have hyphens.
    limits = {
        policy.replace("-", "_"): in_words(rate_of(policy)) for policy in settings.RATE_LIMITS
    }
    base = base_url(request)
    context = {
        "base": base,
        # An agent may use several marketplaces, and keeps a file for each.
        "file_name": base.partition("://")[2].replace(":", "-"),
        "prefix": settings.TOKEN_PREFIX,
        "limits": limits,
        "contact": settings.STAFF_CONTACT,
        "registration": settings.REGISTRATION,
        "is_private": not access.is_public(),
        # The options that a request for the catalogue needs besides its address.
        "auth": "" if access.is_public() else ' -H "Authorization: Bearer $TOKEN"',
        "has_git": settings.GIT,
        "submissions": has_submissions() and settings.SUBMISSIONS,
        # The address of the agent's own repository, with its token as the password.
        "own_repository": base.replace("://", "://x:$CLONE@") + "/git/me.git",
    }
    return render_to_string(f"guides/{name}", context)


def text_response(text, media_type, *validators):
    return public_response(text, *validators, content_type=f"{media_type}; charset=utf-8")


def page_response(request, name, text, media_type):
    context = {
        "base": base_url(request),
        "path": f"/{name}",
        "name": name,
        "media_type": media_type,
        "content": render_markdown(text, is_own=True),
        "contents": contents(text, is_own=True),
        "section": "guide",
    }
    content = render_to_string("guides/page.html", context)
    response = public_response(content, None, content_type="text/html; charset=utf-8")
    response["Content-Security-Policy"] = ContentSecurityPolicyMiddleware.PAGE
    return response
