"""The base of the website's pages, and the start page.

A page reads through the API's own views, and is cached like their responses. It is the same for
everyone: no session, no cookie.
"""

from urllib.parse import quote

from django.conf import settings
from django.http import Http404
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from catalogue.filters import PersonaFilterSet, SkillFilterSet
from catalogue.search.facet_counts import most_common
from marketplace.api.exceptions import ApiError
from marketplace.api.links import base_url
from marketplace.api.pagination import KeysetPagination
from marketplace.db.replicas import on_replica
from marketplace.http_cache.responses import public_response
from marketplace.http_cache.validators import Validator
from marketplace.middleware.pages import page

MAX_TILES = 12  # categories of the start page


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
        context |= {"base": base_url(self.request), "path": quote(self.request.path.rstrip("/"))}
        content = render_to_string(self.template_name, context)
        return public_response(content, validator, content_type="text/html; charset=utf-8")


class StartPage(Page):
    template_name = "start.html"

    def get(self, request):
        popular, newest = {"limit": ["6"]}, {"limit": ["4"], "sort": ["newest"]}
        lists = {
            "skills": paginated(request, SkillFilterSet(popular)),
            "personas": paginated(request, PersonaFilterSet(popular)),
            "new_skills": paginated(request, SkillFilterSet(newest)),
            "new_personas": paginated(request, PersonaFilterSet(newest)),
        }
        categories, validator = most_common("skill", ["category"], limit=MAX_TILES)
        skills = lists["skills"].page
        return self.render(
            Validator.of_all([validator, *(shown.rows.validator for shown in lists.values())]),
            categories=[(name, entries) for _, name, entries in categories],
            example=skills[0].slug if skills else "pdf-tables",
            example_words=(skills[0].title if skills else "PDF tables").lower(),
            prefix=settings.TOKEN_PREFIX,
            **lists,
        )


def paginated(request, filterset, pagination=KeysetPagination):
    """A paginator that has cut its page."""
    paginator = pagination()
    paginator.paginate_queryset(filterset, request)
    return paginator
