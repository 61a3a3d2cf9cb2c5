"""Pages for people who look around: the start, the catalogue's lists, one page for each entry.

They show what the API's own views read, at the cost of as many statements, and are kept alike.
No page knows who looks at it: no session, no cookie.
"""

from urllib.parse import urlencode

from django.conf import settings
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views import View

from catalogue.filters import PersonaListQuery, SkillListQuery
from catalogue.markdown import render as render_markdown
from catalogue.views import PersonaViewSet, SkillViewSet
from interfaces.guides.views import base_url
from marketplace.api.exceptions import ApiError
from marketplace.api.query_params import query_parameters
from marketplace.http_cache.responses import public_response
from marketplace.http_cache.validators import Validator

# The filters of a list that a page shows one by one, each with a link that takes it away.
SHOWN_FILTERS = ("category", "tag", "runtime", "author", "bundledIn", "skill")
SORT_NAMES = {
    "relevance": "Best match",
    "downloads": "Most installed",
    "installs": "Most installed",
    "rating": "Best rated",
    "price": "Cheapest",
    "newest": "Newest",
    "updated": "Last updated",
    "name": "Name",
}


class Page(View):
    """A page that reads; the errors of the API's views become pages too."""

    http_method_names = ["get", "head"]
    template_name = None

    def dispatch(self, request, *args, **kwargs):
        try:
            return super().dispatch(request, *args, **kwargs)
        except ApiError as error:
            status = error.status_code  # 404, or 400 for what a list's parameters hold
            return render(request, f"{status}.html", {"text": error.detail}, status=status)

    def page(self, request, validator, **context):
        context |= {"base": base_url(request), "path": request.path.rstrip("/")}
        content = render_to_string(self.template_name, context)
        return public_response(content, validator, content_type="text/html; charset=utf-8")


class StartPage(Page):
    template_name = "start.html"

    def get(self, request):
        popular, newest = {"limit": ["6"]}, {"limit": ["3"], "sort": ["newest"]}
        lists = {
            "skills": SkillListQuery(popular).page(),
            "personas": PersonaListQuery(popular).page(),
            "new_skills": SkillListQuery(newest).page(),
            "new_personas": PersonaListQuery(newest).page(),
        }
        validator = Validator.of_all([shown.validator for shown in lists.values()])
        rows = lists["skills"].rows
        example = rows[0].slug if rows else "pdf-tables"
        return self.page(request, validator, example=example, prefix=settings.TOKEN_PREFIX, **lists)


class ListPage(Page):
    """A list of the API, with the very same parameters (contract 6)."""

    template_name = "list.html"
    view = None
    kind = None

    def get(self, request):
        # A form sends its empty fields too, which are no filters here.
        query = {name: values for name, values in query_parameters(request).items() if any(values)}
        list_query = self.view.list_query_class(query)
        page = list_query.page()
        return self.page(
            request,
            page.validator,
            kind=self.kind,
            list_query=list_query,
            filters=list(shown_filters(query)),
            narrower=list(narrower(query, page.rows)),
            sorts=sorts_of(list_query),
            **page.envelope(request, query, page.rows),
        )


def shown_filters(query):
    """Each filter that is set, with the query of the same list without it."""
    for name in SHOWN_FILTERS:
        values = query.get(name, [])
        for value in values:
            others = [other for other in values if other != value]
            yield {"name": name, "value": value, "without": changed(query, **{name: others})}


def narrower(query, rows):
    """The categories of the rows that are shown, each with the query for it alone."""
    categories = {row.category for row in rows} - {""}
    if len(categories) > 1:
        for category in sorted(categories):
            yield {"category": category, "query": changed(query, category=[category])}


def changed(query, **changes):
    """A query string with other filters; a cursor was made for those that it had."""
    return urlencode({**query, **changes, "cursor": []}, doseq=True)


def sorts_of(list_query):
    """The orders of a list by the names that people know, the default one first."""
    names = [*(["relevance"] if list_query.words else []), *list_query.sorts]
    return [(name, SORT_NAMES[name]) for name in names]


class SkillsPage(ListPage):
    view = SkillViewSet
    kind = "skills"


class PersonasPage(ListPage):
    view = PersonaViewSet
    kind = "personas"


class SkillPage(Page):
    template_name = "skill.html"

    def get(self, request, slug):
        skill, validator = SkillViewSet.get_published(slug)
        content = render_markdown(skill.content)
        return self.page(request, validator, kind="skills", entry=skill, content=content)


class PersonaPage(Page):
    template_name = "persona.html"

    def get(self, request, slug):
        persona, validator = PersonaViewSet.get_published(slug)
        ratings = sorted(persona.rating_distribution().items(), reverse=True)
        # A prompt that has a price is not given away.
        content = render_markdown(persona.content) if persona.is_free else ""
        return self.page(
            request, validator, kind="personas", entry=persona, content=content, ratings=ratings
        )
