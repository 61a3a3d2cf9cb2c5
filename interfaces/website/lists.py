"""The lists of the website: those of the API, with their filters beside them."""

import re
from urllib.parse import urlencode

from catalogue.models import label_key
from interfaces.website.headings import description, heading, own_query
from interfaces.website.pages import Page
from marketplace.api.query_params import query_parameters
from marketplace.ratelimits.client_address import client_address
from search import reads
from search.list_queries import PersonaQuery, SkillQuery
from search.reads import most_common

PAGE_SIZE = 24  # fills rows of two, three and four
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


def numbered(page, before, request):
    """The numbers of the first row and of the last, and links that also carry a number.

    The cursor decides what a page shows. `before`, the number of rows before it, is for people, and
    may be off if the catalogue changes while they turn the pages. It is None if a link has none.
    """
    if not page.has_previous:
        before = 0
    links = {"next": page.get_next_link(request), "previous": page.get_previous_link(request)}
    if before is None:
        return {"numbers": None, **links}
    last = before + len(page.results)
    befores = {"next": last, "previous": max(before - page.query.limit, 0)}
    is_plausible = page.results and last <= page.count
    return {
        "numbers": (before + 1, last) if is_plausible else None,
        **{name: link and f"{link}&before={befores[name]}" for name, link in links.items()},
    }


class ListPage(Page):
    """A list of the API, with the same parameters (contract 8.1)."""

    template_name = "list.html"
    query_class = None
    entries = None
    kind = None
    facets = FACETS

    def get(self, request):
        # A form sends its empty fields too; they set no filter.
        params = {name: values for name, values in query_parameters(request).items() if any(values)}
        before = params.pop("before", [""])[0]
        before = int(before) if re.fullmatch("[0-9]{1,9}", before) else None
        query = self.query_class(params, default_limit=PAGE_SIZE)
        page = self.entries.page_for_client(query, client_address(request))
        counts, validator, _ = most_common(self.kind, self.facets, MAX_CHOICES)
        section = f"{self.kind}s"
        name, own = heading(section, query), urlencode(own_query(query))
        return self.render(
            validator,
            page.validator,
            kind=self.kind,
            section=section,
            heading=name,
            description=description(name, page.count, page.results),
            own_query=own and f"?{own}",
            query=query,
            chips=list(chips(query)),
            facets=[facet for facet in self.choices(query, counts) if facet["choices"]],
            results=page.results,
            count=page.count,
            nearest=getattr(page, "nearest", []),
            **numbered(page, before, request),
        )

    def choices(self, query, counts):
        """The filters to choose from: `{"title", "choices", "more"}`."""
        for name, title in self.facets.items():
            values = {value: number for facet, value, number in counts if facet == name}
            yield facet_of(query, name, title, values)


def facet_of(query, name, title, values):
    """A facet with its `values` `{value: entries or None}`, and the links that set them.

    The link of a value that is set removes it. The numbers count the whole catalogue, so a list
    that a search or a filter has narrowed shows none.
    """
    params = query.query_params
    is_whole = not query.words and not query.values
    choices = []
    # A value that is set is always shown, and first, however rare it is.
    by_key = {label_key(value): value for value in values}
    given = {label_key(value): value for value in params.get(name, [])}
    first = {by_key.get(key, value): None for key, value in given.items()}
    for value, entries in {**first, **values}.items():
        is_set = [label_key(value)] == [*given]
        choices.append(
            {
                "label": label_of(name, value),
                "entries": entries if is_whole else None,
                "is_set": is_set,
                "query": query_string(params, **{name: [] if is_set else [value]}),
            }
        )
    first, more = choices[:MAX_SHOWN], choices[MAX_SHOWN:]
    return {"title": title, "choices": first, "more": more}


def label_of(name, value):
    """How a value reads below the title of its facet."""
    if name == "minRating":
        return f"{value} and up"
    return CHIPS.get((name, value), value)


def chips(query):
    """Each filter that is set, with the query string of the same list without it."""
    params = query.query_params
    for name in query.values:
        for value in params[name]:
            others = [other for other in params[name] if other != value]
            yield {
                "name": name,
                "value": value,
                "label": CHIPS.get((name, value), f"{name}: {value}"),
                "without": query_string(params, **{name: others}),
            }


def query_string(params, **changes):
    """The query string with these filters changed, without the cursor, which is bound to them."""
    return urlencode({**params, **changes, "cursor": []}, doseq=True)


class SkillsPage(ListPage):
    query_class = SkillQuery
    parameters = {"before", *SkillQuery.allowed()}
    entries = reads.skills
    kind = "skill"


class PersonasPage(ListPage):
    query_class = PersonaQuery
    parameters = {"before", *PersonaQuery.allowed()}
    entries = reads.personas
    kind = "persona"
    facets = {**FACETS, "free": "Price"}

    def choices(self, query, counts):
        yield from super().choices(query, counts)
        yield facet_of(query, "minRating", "Rating", dict.fromkeys(RATINGS))
