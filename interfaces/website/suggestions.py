"""What the search box of the website suggests while somebody types: `GET /suggest`."""

from urllib.parse import urlencode

from rest_framework.response import Response

from catalogue.filters import MAX_QUERY, PersonaFilterSet, SkillFilterSet, parse_kind
from catalogue.models import TITLE_WITHOUT_CASE
from catalogue.search.facet_counts import most_common
from catalogue.search.spelling import completed
from interfaces.website.pages import paginated
from marketplace.api.viewsets import PublicReadingViewSet
from marketplace.http_cache.responses import conditional_response

FILTERSETS = {"skill": SkillFilterSet, "persona": PersonaFilterSet}
MIN_LENGTH = 2
MAX_CATEGORIES, MAX_ENTRIES = 2, 6


class SuggestionViewSet(PublicReadingViewSet):
    """Entries and categories for a text that may not be finished.

    `{"suggestions": [{"label", "hint", "url"}]}` for the parameters `kind` (skill or persona) and
    `q`: categories that begin with the text, then titles that do, then the best results of the
    search, which completes and corrects words. Other parameters are ignored.
    """

    def list(self, request):
        kind = parse_kind(self.query.get("kind", ["skill"])[0])
        text = self.query.get("q", [""])[0].strip()
        counted, validator = most_common(kind, ["category"])
        suggestions = []
        if MIN_LENGTH <= len(text) <= MAX_QUERY:
            suggestions += categories(kind, text, counted) + entries(kind, text, request)
        return conditional_response(
            request, suggestions, validator, lambda: Response({"suggestions": suggestions})
        )


def categories(kind, text, counted):
    begun = [(name, number) for _, name, number in counted if begins(name, text)]
    return [
        {
            "label": name,
            "hint": f"category, {number}",
            "url": f"/{kind}s?{urlencode({'category': name})}",
        }
        for name, number in begun[:MAX_CATEGORIES]
    ]


def begins(name, text):
    """Whether the name or one of its words begins with the text."""
    return f" {name}".lower().replace("-", " ").find(f" {text.lower()}") >= 0


def entries(kind, text, request):
    """Those with titles that begin with the text, then the best that hold its words."""
    query = {"q": [completed(kind, text)[:MAX_QUERY]], "limit": [str(MAX_ENTRIES)]}
    filterset = FILTERSETS[kind](query)
    named = filterset.queryset.alias(name=TITLE_WITHOUT_CASE)
    named = named.filter(name__startswith=text.lower()).order_by("name").values("slug", "title")
    titles = {row["slug"]: row["title"] for row in named[:MAX_ENTRIES]}
    titles |= {row.slug: row.title for row in paginated(request, filterset).page}
    return [
        {"label": title, "hint": kind, "url": f"/{kind}s/{slug}"}
        for slug, title in [*titles.items()][:MAX_ENTRIES]
    ]
