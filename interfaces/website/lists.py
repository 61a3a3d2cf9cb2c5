"""The lists of the website: those of the API, with their filters beside them."""

import re
from urllib.parse import urlencode

from interfaces.website.headings import description, heading, own_query
from interfaces.website.pages import Page
from marketplace.api.pagination import KeysetPagination
from marketplace.api.query_params import query_parameters
from marketplace.ratelimits.client_address import client_address
from search import reads
from search.filters import PersonaFilterSet, SkillFilterSet
from search.reads import most_common

MAX_CHOICES, MAX_SHOWN = 30, 8  # values of a facet: all, and without asking for more
# The titles of the facets, in their order on the page.
FACETS = {"category": "Category", "runtime": "Runtime", "license": "License"}
PRICES = {"true": "Free", "false": "Paid"}
RATINGS = "4", "3", "2"
# How a filter reads if its name and value do not make a phrase.
CHIPS = {
    **{("free", value): label for value, label in PRICES.items()},
    **{("minRating", value): f"Rated {value} and up" for value in RATINGS},
}


class NumberedPagination(KeysetPagination):
    """Pages whose links also carry the number of rows before them.

    The cursor decides what a page shows. The number is for people, and may be off
    if the catalogue changes while they turn the pages.
    """

    default_limit = 24  # fills rows of two, three and four

    def __init__(self, before):
        self.before = before

    def paginate_queryset(self, queryset, request, view=None):
        page = super().paginate_queryset(queryset, request, view)
        self.limit = self.get_limit(queryset.filterset.params)
        is_first = not self.has_cursor or (self.backwards and not self.has_more)
        self.before = 0 if is_first else self.before
        return page

    def link(self, row, *, backwards):
        step = -self.limit if backwards else len(self.page)
        link = super().link(row, backwards=backwards)
        if self.before is None:
            return link
        return f"{link}&{urlencode({'before': max(self.before + step, 0)})}"

    @property
    def numbers(self):
        """The numbers of the first row and of the last, or None if the link has no number."""
        if self.before is None or not self.page:
            return None
        last = self.before + len(self.page)
        return (self.before + 1, last) if last <= self.rows.count else None


class ListPage(Page):
    """A list of the API, with the same parameters (contract 8.1)."""

    template_name = "list.html"
    filterset_class = None
    rows = None
    kind = None
    facets = FACETS

    def get(self, request):
        # A form sends its empty fields too; they set no filter.
        query = {name: values for name, values in query_parameters(request).items() if any(values)}
        before = query.pop("before", [""])[0]
        filterset = self.filterset_class(query)
        pagination = NumberedPagination(int(before) if re.fullmatch("[0-9]{1,9}", before) else None)
        rows = self.rows(filterset, client_address(request))
        page = pagination.paginate_queryset(rows, request)
        counts, validator, _ = most_common(self.kind, self.facets, MAX_CHOICES)
        section = f"{self.kind}s"
        name, own = heading(section, filterset), urlencode(own_query(filterset))
        return self.render(
            validator,
            pagination.rows.validator,
            kind=self.kind,
            section=section,
            heading=name,
            description=description(name, pagination.rows.count, page),
            own_query=own and f"?{own}",
            filterset=filterset,
            chips=list(chips(filterset)),
            facets=[facet for facet in self.choices(filterset, counts) if facet["choices"]],
            numbers=pagination.numbers,
            **pagination.get_paginated_response(page).data,
        )

    def choices(self, filterset, counts):
        """The filters to choose from: `{"title", "choices", "more"}`."""
        for name, title in self.facets.items():
            values = {value: number for facet, value, number in counts if facet == name}
            yield facet_of(filterset, name, title, values)


def facet_of(filterset, name, title, values):
    """A facet with its `values` `{value: entries or None}`, and the links that set them.

    The link of a value that is set removes it. The numbers count the whole catalogue, so a list
    that a search or a filter has narrowed shows none.
    """
    query = filterset.query
    is_whole = not filterset.words and not filterset.values
    choices = []
    # A value that is set is always shown, however rare it is.
    for value, entries in {**dict.fromkeys(query.get(name, [])), **values}.items():
        is_set = query.get(name) == [value]
        choices.append(
            {
                "label": label_of(name, value),
                "entries": entries if is_whole else None,
                "is_set": is_set,
                "query": query_string(query, **{name: [] if is_set else [value]}),
            }
        )
    first, more = choices[:MAX_SHOWN], choices[MAX_SHOWN:]
    return {"title": title, "choices": first, "more": more}


def label_of(name, value):
    """How a value reads below the title of its facet."""
    if name == "minRating":
        return f"{value} and up"
    return CHIPS.get((name, value), value)


def chips(filterset):
    """Each filter that is set, with the query string of the same list without it."""
    query = filterset.query
    for name in filterset.values:
        for value in query[name]:
            others = [other for other in query[name] if other != value]
            yield {
                "name": name,
                "value": value,
                "label": CHIPS.get((name, value), f"{name}: {value}"),
                "without": query_string(query, **{name: others}),
            }


def query_string(query, **changes):
    """The query string with these filters changed, without the cursor, which is bound to them."""
    return urlencode({**query, **changes, "cursor": []}, doseq=True)


class SkillsPage(ListPage):
    filterset_class = SkillFilterSet
    parameters = {"before", *SkillFilterSet.allowed()}
    rows = reads.skills
    kind = "skill"


class PersonasPage(ListPage):
    filterset_class = PersonaFilterSet
    parameters = {"before", *PersonaFilterSet.allowed()}
    rows = reads.personas
    kind = "persona"
    facets = {**FACETS, "free": "Price"}

    def choices(self, filterset, counts):
        yield from super().choices(filterset, counts)
        yield facet_of(filterset, "minRating", "Rating", dict.fromkeys(RATINGS))
