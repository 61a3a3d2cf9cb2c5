"""What the search box of the website suggests while somebody types: `GET /suggest`."""

from urllib.parse import urlencode

from rest_framework.response import Response

from catalogue.filters import KIND, MAX_QUERY, PersonaFilterSet, SkillFilterSet
from catalogue.models import TITLE_WITHOUT_CASE
from catalogue.search.facet_counts import most_common
from catalogue.search.spelling import completed
from interfaces.website.pages import paginated
from marketplace.api.viewsets import PublicReadingViewSet
from marketplace.http_cache.responses import conditional_response
from marketplace.http_cache.validators import Validator

FILTERSETS = {"skill": SkillFilterSet, "persona": PersonaFilterSet}
MIN_LENGTH = 2
MAX_FACETS, MAX_ENTRIES = 2, 6
HINTS = {"category": "category", "author": "author"}


class SuggestionViewSet(PublicReadingViewSet):
    """Entries, categories and authors for a text that may not be finished.

    `{"suggestions": [{"label", "hint", "url"}]}` for the parameters `kind` (skill or persona;
    without it both) and `q`: what begins with the text, then the best results of the search, which
    completes and corrects words. Other parameters are ignored.
    """

    def list(self, request):
        kind, text = self.query.get("kind", [""])[0], self.query.get("q", [""])[0].strip()
        kinds = [KIND.read(kind)] if kind else list(FILTERSETS)
        suggestions, validators = [], []
        for each in kinds:
            counted, validator = most_common(each, HINTS)
            validators.append(validator)
            if MIN_LENGTH <= len(text) <= MAX_QUERY:
                suggestions += facets(each, text, counted)
                suggestions += entries(each, text, request, MAX_ENTRIES // len(kinds))
        return conditional_response(
            request,
            suggestions,
            Validator.of_all(validators),
            lambda: Response({"suggestions": suggestions}),
        )


def facets(kind, text, counted):
    """Categories and authors of which a word begins with the text."""
    begun = [row for row in counted if as_words(text) in as_words(row[1])]
    return [
        {
            "label": value,
            "hint": f"{HINTS[facet]}, {entries} {kind}{'' if entries == 1 else 's'}",
            "url": f"/{kind}s?{urlencode({facet: value})}",
        }
        for facet, value, entries in begun[:MAX_FACETS]
    ]


def as_words(text):
    return " " + text.lower().replace("-", " ")


def entries(kind, text, request, number):
    """Those with titles that begin with the text, then the best that hold its words."""
    query = {"q": [completed(kind, text)[:MAX_QUERY]], "limit": [str(number)]}
    filterset = FILTERSETS[kind](query)
    named = filterset.queryset.alias(name=TITLE_WITHOUT_CASE)
    named = named.filter(name__startswith=text.lower()).order_by("name").values("slug", "title")
    titles = {row["slug"]: row["title"] for row in named[:number]}
    titles |= {row.slug: row.title for row in paginated(request, filterset).page}
    return [
        {"label": title, "hint": kind, "url": f"/{kind}s/{slug}"}
        for slug, title in [*titles.items()][:number]
    ]
