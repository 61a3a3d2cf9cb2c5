"""Words for machines: `/llms.txt`, `/skill.md` and `/robots.txt`, as this deployment is set up."""

from django.conf import settings
from django.template.loader import render_to_string

from marketplace.api.viewsets import PublicViewSet
from marketplace.http_cache.responses import public_response
from marketplace.http_cache.validators import ALWAYS_FRESH
from marketplace.ratelimits.decorators import rate_of

UNITS = {"s": "second", "m": "minute", "h": "hour", "d": "day"}


def base_url(request):
    """Where this marketplace is, as the client knows it: `https://marketplace.example.com`."""
    return request.build_absolute_uri("/").rstrip("/")


def skill_md(request):
    """The SKILL.md that teaches an agent to use this very marketplace."""
    return words("skill.md", request)


def words(name, request):
    limits = {
        "install": in_words(rate_of("install", "free")),
        "review": in_words(rate_of("review", "free")),
        "claim": in_words(rate_of("confirm-claim", "free")),
        "register": in_words(rate_of("register", "free")),
    }
    context = {
        "base": base_url(request),
        # An agent may know several marketplaces, and keeps a file for each.
        "file_name": request.get_host().replace(":", "-"),
        "prefix": settings.TOKEN_PREFIX,
        "limits": limits,
    }
    return render_to_string(f"guides/{name}", context)


def in_words(rate):
    """`20/h` as "20 requests per hour", `5/10m` as "5 requests per 10 minutes"."""
    number, _, period = rate.partition("/")
    length, unit = period[:-1], UNITS[period[-1]]
    return f"{number} requests per {f'{length} {unit}s' if length else unit}"


class GuideViewSet(PublicViewSet):
    """Texts that change with the configuration alone."""

    default_response_headers = {"Cache-Control": "public, no-cache"}

    def llms(self, request):
        return plain_text(words("llms.txt", request))

    def skill(self, request):
        return public_response(
            skill_md(request), ALWAYS_FRESH, content_type="text/markdown; charset=utf-8"
        )

    def robots(self, request):
        return plain_text(words("robots.txt", request))


def plain_text(text):
    return public_response(text, ALWAYS_FRESH, content_type="text/plain; charset=utf-8")
