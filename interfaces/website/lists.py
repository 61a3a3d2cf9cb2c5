"""The lists of the website: those of the API, with their filters beside them."""

import re
from urllib.parse import urlencode

from catalogue.models import label_key
from catalogue.reads import recalled
from catalogue.slugs import as_slug
from interfaces.website.headings import description, heading, own_query
from interfaces.website.pages import Page
from interfaces.website.reads import MODELS
from marketplace.api.query_params import query_parameters
from marketplace.ratelimits.client_address import client_address
from search import reads
from search.list_queries import PersonaQuery, SkillQuery
from search.narrowed_facets import facets_of

PAGE_SIZE = 24  # fills rows of two, three and four
MAX_CHOICES, MAX_SHOWN = 30, 8  # values of a facet: all, and without asking for more
# The titles of the facets, in their order on the page.
FACETS = {"category": "Category", "runtime": "Runtime", "license": "License"}
PRICES = {"true": "Free", "false": "Paid"}
RATINGS = "4", "3", "2"
VIEWS = {"": "Cards", "list": "List"}
# How a filter reads if its name and value do not make a phrase.
CHIPS = {
    **{("free", value): label for value, label in PRICES.items()},
    **{("minRating", value): f"Rated {value} and up" for value in RATINGS},
}


def numbered(page, before, request, more):
    """The numbers of the first row and of the last, and links that also carry a number and `more`.

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
        **{name: link and f"{link}&before={befores[name]}{more}" for name, link in links.items()},
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
        is_list = params.pop("view", [""])[0] == "list"
        query = self.query_class(params, default_limit=PAGE_SIZE)
        page = self.entries.page_for_client(query, client_address(request))
        counts, validator, _ = facets_of(self.entries, query, self.facets, MAX_CHOICES)
        section = f"{self.kind}s"
        name, own = heading(section, query), urlencode(own_query(query))
        links = Links(query, is_list=is_list)
        return self.render(
            validator,
            page.validator,
            kind=self.kind,
            section=section,
            heading=name,
            description=description(name, page.count, page.results),
            own_query=own and f"?{own}",
            query=query,
            is_list=is_list,
            chips=list(chips(links)),
            sorts=list(links.sorts()),
            views=list(links.views()),
            kept=links.kept(),
            without_filters=links.to(**{name: [] for name in query.values}),
            facets=[facet for facet in self.choices(links, counts) if facet["choices"]],
            results=page.results,
            count=page.count,
            nearest=getattr(page, "nearest", []),
            recalled=self.recalled_by_name(query),
            **numbered(page, before, request, "&view=list" if is_list else ""),
        )

    def recalled_by_name(self, query):
        """The recalled entry that a search without filters names; or None."""
        if not query.words or query.values:
            return None
        # No validator: a recall, and its end, change the version of the catalogue.
        return recalled(MODELS[f"{self.kind}s"], as_slug(query.words))

    def choices(self, links, counts):
        """The filters to choose from: `{"title", "choices", "more"}`."""
        for name, title in self.facets.items():
            yield facet_of(links, name, title, counts[name])


class Links:
    """The query strings of the same list with something changed."""

    def __init__(self, query, *, is_list):
        self.query = query
        self.params = {**query.query_params, **({"view": ["list"]} if is_list else {})}

    def to(self, **changes):
        """Without the cursor, which is bound to the filters and the sort."""
        return urlencode({**self.params, **changes, "cursor": []}, doseq=True)

    def sorts(self):
        default, *_ = self.query.sort_choices[0]
        for name, label in self.query.sort_choices:
            link = self.to(sort=[] if name == default else [name])
            yield {"label": label, "query": link, "is_set": name == self.query.sort}

    def views(self):
        is_set = self.params.get("view", [""])
        for name, label in VIEWS.items():
            link = self.to(view=[name] if name else [])
            yield {"label": label, "query": link, "is_set": is_set == [name]}

    def kept(self):
        """`[(name, value), …]` of the parameters that a new search keeps: not words nor page."""
        dropped = {"cursor", "q", *self.query.aliases}
        return [
            (name, value)
            for name, values in self.params.items()
            for value in values
            if name not in dropped
        ]


def facet_of(links, name, title, values):
    """A facet with its `values` `{value: entries or None}`, and the links that set them.

    The link of a value that is set removes it.
    """
    choices = []
    # A value that is set is always shown, and first, however rare it is.
    by_key = {label_key(value): value for value in values}
    given = {label_key(value): value for value in links.params.get(name, [])}
    first = {by_key.get(key, value): None for key, value in given.items()}
    for value, entries in {**first, **values}.items():
        is_set = [label_key(value)] == [*given]
        choices.append(
            {
                "label": label_of(name, value),
                "entries": entries,
                "is_set": is_set,
                "query": links.to(**{name: [] if is_set else [value]}),
            }
        )
    first, more = choices[:MAX_SHOWN], choices[MAX_SHOWN:]
    return {"title": title, "choices": first, "more": more}


def label_of(name, value):
    """How a value reads below the title of its facet."""
    if name == "minRating":
        return f"{value} and up"
    return CHIPS.get((name, value), value)


def chips(links):
    """Each filter that is set, with the query string of the same list without it."""
    params = links.query.query_params
    for name in links.query.values:
        for value in params[name]:
            others = [other for other in params[name] if other != value]
            yield {
                "label": CHIPS.get((name, value), f"{name}: {value}"),
                "without": links.to(**{name: others}),
            }


class SkillsPage(ListPage):
    query_class = SkillQuery
    parameters = {"before", "view", *SkillQuery.allowed()}
    entries = reads.skills
    kind = "skill"


class PersonasPage(ListPage):
    query_class = PersonaQuery
    parameters = {"before", "view", *PersonaQuery.allowed()}
    entries = reads.personas
    kind = "persona"
    facets = {**FACETS, "free": "Price"}

    def choices(self, links, counts):
        yield from super().choices(links, counts)
        yield facet_of(links, "minRating", "Rating", dict.fromkeys(RATINGS))
