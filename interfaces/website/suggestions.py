"""The suggestions of the website's search box while somebody types: `GET /suggest`."""

from urllib.parse import urlencode

from django.template.defaultfilters import pluralize
from rest_framework.response import Response

from catalogue.list_queries import KIND_FILTER
from catalogue.models import Kind
from interfaces.website import reads
from marketplace.api.responses import conditional_response
from marketplace.api.viewsets import CatalogueViewSet
from search.list_queries import MAX_QUERY

MIN_LENGTH = 2
MAX_FACETS, MAX_ENTRIES = 2, 6
FACETS = ["category", "author"]


class SuggestionViewSet(CatalogueViewSet):
    """Entries, categories and authors for a text that may not be finished.

    `{"suggestions": [{"label", "hint", "url"}]}` for the parameters `kind` (skill or persona;
    without it both) and `q`: what begins with the text, then the best results of the search, which
    completes and corrects words. Other parameters are ignored.
    """

    actions_for_people = ["list"]
    parameters = {"kind", "q"}

    def list(self, request):
        kind, text = self.query.get("kind", [""])[0], self.query.get("q", [""])[0].strip()
        kinds = [KIND_FILTER.read(kind)] if kind else Kind.values
        number = MAX_ENTRIES // len(kinds)
        is_searched = MIN_LENGTH <= len(text) <= MAX_QUERY
        read = reads.suggestions(kinds, text if is_searched else "", FACETS, number)
        suggestions = []
        if is_searched:
            for kind, (counts, titles) in read.value.items():
                suggestions += facets(kind, text, counts)
                suggestions += entries(kind, titles, number)
        return conditional_response(
            request,
            suggestions,
            read.validator,
            lambda: Response({"suggestions": suggestions}),
        )


def facets(kind, text, counts):
    """Categories and authors with a word that begins with the text."""
    matches = [row for row in counts if as_words(text) in as_words(row[1])]
    return [
        {
            "label": value,
            "hint": f"{facet}, {entries} {kind}{pluralize(entries)}",
            "url": f"/{kind}s?{urlencode({facet: value})}",
        }
        for facet, value, entries in matches[:MAX_FACETS]
    ]


def as_words(text):
    return " " + text.lower().replace("-", " ")


def entries(kind, titles, number):
    return [
        {"label": title, "hint": kind, "url": f"/{kind}s/{slug}"}
        for slug, title in [*titles.items()][:number]
    ]
