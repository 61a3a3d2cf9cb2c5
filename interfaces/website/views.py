"""The website: a start page, the catalogue's lists, one page for each entry.

A page reads through the API's own views, with as many statements, and is cached like their
responses. It is the same for everyone: no session, no cookie.
"""

from urllib.parse import quote, urlencode

from django.conf import settings
from django.http import Http404
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from catalogue.file_tree import file_tree
from catalogue.filters import PersonaFilterSet, SkillFilterSet
from catalogue.markdown import render as render_markdown
from catalogue.models import Persona, Skill
from catalogue.search.near_slugs import near_slugs
from catalogue.serializers import files_address
from catalogue.views import PersonaViewSet, SkillViewSet
from interfaces.guides.views import base_url
from marketplace.api.exceptions import ApiError
from marketplace.api.pagination import KeysetPagination
from marketplace.api.query_params import query_parameters
from marketplace.db.replicas import on_replica
from marketplace.http_cache.responses import public_response
from marketplace.http_cache.validators import Validator
from marketplace.middleware.pages import page
from reviews.filters import PersonaReviewFilterSet


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
            return on_replica(super().dispatch, request, *args, **kwargs)
        except ApiError as error:
            status = error.status_code  # 404, or 400 for a list's parameters
            context = {"text": error.detail, **self.advice(**kwargs)}
            return render(request, f"{status}.html", context, status=status)

    def advice(self, **_path):
        """What else the page of an error says."""
        return {}

    def render(self, validator, **context):
        context |= {"base": base_url(self.request), "path": self.request.path.rstrip("/")}
        content = render_to_string(self.template_name, context)
        return public_response(content, validator, content_type="text/html; charset=utf-8")


class StartPage(Page):
    template_name = "start.html"

    def get(self, request):
        popular, newest = {"limit": ["6"]}, {"limit": ["3"], "sort": ["newest"]}
        lists = {
            "skills": paginated(request, SkillFilterSet(popular)),
            "personas": paginated(request, PersonaFilterSet(popular)),
            "new_skills": paginated(request, SkillFilterSet(newest)),
            "new_personas": paginated(request, PersonaFilterSet(newest)),
        }
        validator = Validator.of_all([shown.rows.validator for shown in lists.values()])
        skills = lists["skills"].page
        example = skills[0].slug if skills else "pdf-tables"
        return self.render(validator, example=example, prefix=settings.TOKEN_PREFIX, **lists)


class ListPage(Page):
    """A list of the API, with the same parameters (contract 6)."""

    template_name = "list.html"
    viewset = None
    kind = None

    def get(self, request):
        # A form sends its empty fields too; they set no filter.
        query = {name: values for name, values in query_parameters(request).items() if any(values)}
        filterset = self.viewset.filterset_class(query)
        paginator = paginated(request, filterset)
        return self.render(
            paginator.rows.validator,
            kind=self.kind,
            filterset=filterset,
            filters=list(chips(filterset)),
            categories=list(category_links(query, paginator.page)),
            **paginator.get_paginated_response(paginator.page).data,
        )


def paginated(request, filterset, pagination=KeysetPagination):
    """A paginator that has cut its page."""
    paginator = pagination()
    paginator.paginate_queryset(filterset, request)
    return paginator


def chips(filterset):
    """Each filter that is set, with the query string of the same list without it."""
    query = filterset.query
    for name in filterset.values:
        for value in query[name] if filterset.filters[name].is_chip else []:
            others = [other for other in query[name] if other != value]
            yield {"name": name, "value": value, "without": changed(query, **{name: others})}


def category_links(query, page):
    """The categories of a page, each with the query string that selects it."""
    categories = {row.category for row in page} - {""}
    if len(categories) > 1:
        for category in sorted(categories):
            yield {"name": category, "query": changed(query, category=[category])}


def changed(query, **changes):
    """The query string with these filters changed, and without the cursor, which they bind."""
    return urlencode({**query, **changes, "cursor": []}, doseq=True)


class SkillsPage(ListPage):
    viewset = SkillViewSet
    kind = "skills"


class PersonasPage(ListPage):
    viewset = PersonaViewSet
    kind = "personas"


class EntryPage(Page):
    kind = None
    model = None

    def advice(self, slug):
        near = on_replica(near_slugs, self.model, slug)
        return {"kind": self.kind, "near": near}


class SkillPage(EntryPage):
    template_name = "skill.html"
    kind = "skills"
    model = Skill

    def get(self, request, slug):
        skill, validator = SkillViewSet.get_published(slug)
        files, address = file_tree(skill.files), f"/skills/{skill.slug}/files"
        content = render_markdown(skill.content, address if files else "")
        return self.render(
            validator,
            kind=self.kind,
            entry=skill,
            content=content,
            files=files,
            address=address,
        )


class FilePage(Page):
    """One file of a skill: a text to read, escaped; anything else to download."""

    template_name = "file.html"

    def get(self, request, slug, path):
        skill, _ = SkillViewSet.get_published(slug)
        file = skill.file_at(path)
        text = skill.bytes_of(file).decode() if file["is_text"] else None
        url = f"{files_address(skill)}/{quote(path)}"
        # Without a validator: no cache of this process holds the files.
        return self.render(None, kind="skills", entry=skill, file=file, text=text, url=url)


class ReviewPagination(KeysetPagination):
    default_limit = 10


class PersonaPage(EntryPage):
    """A persona with a page of its reviews, of which `cursor` tells where it begins."""

    template_name = "persona.html"
    kind = "personas"
    model = Persona

    def get(self, request, slug):
        persona, validator = PersonaViewSet.get_published(slug)
        ratings = sorted(persona.rating_distribution().items(), reverse=True)
        # The content of a priced persona is not public (contract 6).
        content = render_markdown(persona.content) if persona.is_free else ""
        query = {name: each for name, each in query_parameters(request).items() if name == "cursor"}
        filterset = PersonaReviewFilterSet(query, slug=slug)
        paginator = paginated(request, filterset, ReviewPagination)
        return self.render(
            Validator.of_all([validator, paginator.rows.validator]),
            kind=self.kind,
            entry=persona,
            content=content,
            ratings=ratings,
            reviews=paginator.get_paginated_response(paginator.page).data,
        )
