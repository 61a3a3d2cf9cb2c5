from django.conf import settings
from django.template.loader import render_to_string

from marketplace.api.links import base_url
from marketplace.api.viewsets import PublicReadingViewSet
from marketplace.http_cache.responses import public_response
from marketplace.http_cache.validators import ALWAYS_FRESH
from marketplace.ratelimits.decorators import rate_of
from marketplace.ratelimits.rates import in_words


class GuideViewSet(PublicReadingViewSet):
    """Texts that depend on the deployment's configuration and host name alone."""

    def skill(self, request):
        return text_response(skill_md(request), "markdown")

    def llms(self, request):
        return text_response(guide("llms.txt", request), "plain")

    def robots(self, request):
        return text_response(guide("robots.txt", request), "plain")


def skill_md(request):
    """The SKILL.md that teaches an agent to use this marketplace."""
    return guide("skill.md", request)


def guide(name, request):
    limits = {
        "install": in_words(rate_of("install", "free")),
        "review": in_words(rate_of("review", "free")),
        "manage": in_words(rate_of("manage", "free")),
        "report": in_words(rate_of("report", "free")),
        "claim": in_words(rate_of("confirm-claim", "free")),
        "register": in_words(rate_of("register", "free")),
    }
    context = {
        "base": base_url(request),
        # An agent may use several marketplaces, and keeps a file for each.
        "file_name": request.get_host().replace(":", "-"),
        "prefix": settings.TOKEN_PREFIX,
        "limits": limits,
    }
    return render_to_string(f"guides/{name}", context)


def text_response(text, subtype):
    return public_response(text, ALWAYS_FRESH, content_type=f"text/{subtype}; charset=utf-8")
