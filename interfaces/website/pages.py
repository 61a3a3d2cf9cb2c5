"""The base of the website's pages, and the start page.

A page reads what the API reads, and is cached like its responses. It is the same for everyone: no
session, no cookie.
"""

from urllib.parse import quote

from django.conf import settings
from django.http import Http404
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from interfaces.website import reads
from marketplace.api.exceptions import ApiError
from marketplace.api.links import base_url
from marketplace.api.responses import public_response
from marketplace.middleware.pages import page


@csrf_exempt
@page
def not_found(request):
    raise Http404


class Page(View):
    """A page without forms that write; the errors of the API become pages too."""

    http_method_names = ["get", "head"]
    template_name = None

    @csrf_exempt
    @page
    def dispatch(self, request, *args, **kwargs):
        try:
            return super().dispatch(request, *args, **kwargs)
        except ApiError as error:
            status = error.status_code  # 404, or 400 for a list's parameters
            context = {"text": error.detail, **self.advice(**kwargs)}
            return render(request, f"{status}.html", context, status=status)

    def advice(self, **_path):
        """What else the page of an error says."""
        return {}

    def render(self, *validators, **context):
        """The page, which is cached if all that it shows has a validator."""
        context |= {"base": base_url(self.request), "path": quote(self.request.path.rstrip("/"))}
        content = render_to_string(self.template_name, context)
        return public_response(content, *validators, content_type="text/html; charset=utf-8")


class StartPage(Page):
    template_name = "start.html"

    def get(self, request):
        lists, validator, _ = reads.start_page()
        skills = lists["skills"].rows
        return self.render(
            validator,
            example=skills[0].slug if skills else "pdf-tables",
            example_words=(skills[0].title if skills else "PDF tables").lower(),
            prefix=settings.TOKEN_PREFIX,
            **lists,
        )
