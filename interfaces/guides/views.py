from django.conf import settings
from django.template.loader import render_to_string

from marketplace.api.viewsets import PublicViewSet
from marketplace.http_cache.responses import public_response
from marketplace.http_cache.validators import ALWAYS_FRESH
from marketplace.ratelimits.decorators import rate_of

UNITS = {"s": "second", "m": "minute", "h": "hour", "d": "day"}


class GuideViewSet(PublicViewSet):
    """Texts that depend on the deployment's configuration and host name alone."""

    allows_any_origin = True
    default_response_headers = {"Cache-Control": "public, no-cache"}

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
        "install": rate_in_words(rate_of("install", "free")),
        "review": rate_in_words(rate_of("review", "free")),
        "claim": rate_in_words(rate_of("confirm-claim", "free")),
        "register": rate_in_words(rate_of("register", "free")),
    }
    context = {
        "base": base_url(request),
        # An agent may use several marketplaces, and keeps a file for each.
        "file_name": request.get_host().replace(":", "-"),
        "prefix": settings.TOKEN_PREFIX,
        "limits": limits,
    }
    return render_to_string(f"guides/{name}", context)


def base_url(request):
    """Scheme and host of this marketplace, such as `https://marketplace.example.com`."""
    return request.build_absolute_uri("/").rstrip("/")


def rate_in_words(rate):
    """`20/h` as "20 requests per hour", `5/10m` as "5 requests per 10 minutes"."""
    number, _, period = rate.partition("/")
    length, unit = period[:-1], UNITS[period[-1]]
    return f"{number} requests per {f'{length} {unit}s' if length else unit}"


def text_response(text, subtype):
    return public_response(text, ALWAYS_FRESH, content_type=f"text/{subtype}; charset=utf-8")
