"""The website: a start page, the catalogue's lists, one page for each entry.

A page reads through the API's own views, with as many statements, and is cached like their
responses. It is the same for everyone: no session, no cookie.
"""

from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from catalogue.filters import PersonaListQuery, SkillListQuery
from catalogue.markdown import render as render_markdown
from catalogue.views import PersonaViewSet, SkillViewSet
from interfaces.guides.views import base_url
from marketplace.api.exceptions import ApiError
from marketplace.api.query_params import query_parameters
from marketplace.http_cache.responses import public_response
from marketplace.http_cache.validators import Validator
from marketplace.middleware.pages import page

# The filters that a list page shows, each with a link that removes it.
REMOVABLE_FILTERS = ("category", "tag", "runtime", "author", "bundledIn", "skill")
SORT_LABELS = {
    "relevance": "Best match",
    "downloads": "Most installed",
    "installs": "Most installed",
    "rating": "Best rated",
    "price": "Cheapest",
    "newest": "Newest",
    "updated": "Last updated",
    "name": "Name",
}


@csrf_exempt
@page
def not_found(request):
    raise Http404


class Page(View):
    """A page without forms that write; the errors of the API's views become pages too."""

    http_method_names = ["get", "head"]
    template_name = None

    @csrf_exempt
    @page
    def dispatch(self, request, *args, **kwargs):
        try:
            return super().dispatch(request, *args, **kwargs)
        except ApiError as error:
            status = error.status_code  # 404, or 400 for a list's parameters
            return render(request, f"{status}.html", {"text": error.detail}, status=status)

    def render(self, validator, **context):
        context |= {"base": base_url(self.request), "path": self.request.path.rstrip("/")}
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
        return self.render(validator, example=example, prefix=settings.TOKEN_PREFIX, **lists)


class ListPage(Page):
    """A list of the API, with the same parameters (contract 6)."""

    template_name = "list.html"
    viewset = None
    kind = None

    def get(self, request):
        # A form sends its empty fields too; they set no filter.
        query = {name: values for name, values in query_parameters(request).items() if any(values)}
        list_query = self.viewset.list_query_class(query)
        shown = list_query.page()
        return self.render(
            shown.validator,
            kind=self.kind,
            list_query=list_query,
            filters=list(removable_filters(query)),
            categories=list(category_links(query, shown.rows)),
            sorts=sort_choices(list_query),
            **shown.envelope(request, query, shown.rows),
        )


def removable_filters(query):
    """Each filter that is set, with the query string of the same list without it."""
    for name in REMOVABLE_FILTERS:
        values = query.get(name, [])
        for value in values:
            others = [other for other in values if other != value]
            yield {"name": name, "value": value, "without": changed(query, **{name: others})}


def category_links(query, rows):
    """The categories of these rows, each with the query string that selects it."""
    categories = {row.category for row in rows} - {""}
    if len(categories) > 1:
        for category in sorted(categories):
            yield {"name": category, "query": changed(query, category=[category])}


def changed(query, **changes):
    """The query string with these filters changed, and without the cursor, which they bind."""
    return urlencode({**query, **changes, "cursor": []}, doseq=True)


def sort_choices(list_query):
    """The sorts of a list with their labels, the default one first."""
    names = [*(["relevance"] if list_query.words else []), *list_query.sorts]
    return [(name, SORT_LABELS[name]) for name in names]


class SkillsPage(ListPage):
    viewset = SkillViewSet
    kind = "skills"


class PersonasPage(ListPage):
    viewset = PersonaViewSet
    kind = "personas"


class SkillPage(Page):
    template_name = "skill.html"

    def get(self, request, slug):
        skill, validator = SkillViewSet.get_published(slug)
        content = render_markdown(skill.content)
        return self.render(validator, kind="skills", entry=skill, content=content)


class PersonaPage(Page):
    template_name = "persona.html"

    def get(self, request, slug):
        persona, validator = PersonaViewSet.get_published(slug)
        ratings = sorted(persona.rating_distribution().items(), reverse=True)
        # The content of a priced persona is not public (contract 6).
        content = render_markdown(persona.content) if persona.is_free else ""
        return self.render(
            validator, kind="personas", entry=persona, content=content, ratings=ratings
        )
