"""The base of the website's pages, and the start page.

A page reads what the API reads, and is cached like the API's responses. Everyone who may read it
gets the same page: a session only opens the pages of a members-only catalogue.
"""

from urllib.parse import quote

from django.conf import settings
from django.http import Http404
from django.shortcuts import render
from django.template.defaultfilters import pluralize
from django.template.loader import render_to_string
from django.views import View
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import RedirectView

from interfaces.website import access, reads
from marketplace.access import AsksReaders, Audience, for_everyone, is_public
from marketplace.api.exceptions import ApiError
from marketplace.api.links import base_url
from marketplace.api.responses import public_response
from marketplace.middleware.pages import page


@csrf_exempt
@page
@for_everyone
def not_found(request):
    raise Http404


def leads_to(address):
    """A redirect from a path that people type to the page that they mean."""
    view = RedirectView.as_view(url=address, query_string="?" not in address)
    return csrf_exempt(page(for_everyone(view)))


class Page(AsksReaders, View):
    """A page without forms that write. It shows errors of the API as pages."""

    http_method_names = ["get", "head"]
    audience = Audience.READERS
    parameters = frozenset()  # of the query; the page ignores others
    template_name = None

    @csrf_exempt
    @page
    def dispatch(self, request, *args, **kwargs):
        refused = access.refusal(self, request)
        return refused or access.shown_to(self, self.respond(request, *args, **kwargs))

    def respond(self, request, *args, **kwargs):
        try:
            return super().dispatch(request, *args, **kwargs)
        except ApiError as error:
            return self.error_page(error, **kwargs)

    def error_page(self, error, **context):
        status = error.status_code  # 404, or 400 for a list's parameters
        return render(
            self.request, f"{status}.html", {"text": error.detail, **context}, status=status
        )

    def render(self, *validators, **context):
        """The page. It is cached if everything that it shows has a validator."""
        context |= {"base": base_url(self.request), "path": quote(self.request.path.rstrip("/"))}
        content = render_to_string(self.template_name, context)
        validators = [*validators, reads.until_tomorrow()]
        return public_response(content, *validators, content_type="text/html; charset=utf-8")


def as_text(number):
    """A number that is counted up to a maximum, in words."""
    return f"{number:,}" if number <= reads.MAX_USES else f"{reads.MAX_USES:,}+"


class WeekPage(Page):
    """What changed in the last seven days, by day."""

    is_slow = True
    template_name = "week.html"

    def get(self, request):
        (days, is_all), validator, _ = reads.this_week()
        return self.render(validator, days=days, is_all=is_all)


EXAMPLE = {"example": "pdf-tables", "example_words": "pdf tables"}


class StartPage(Page):
    """An overview of the catalogue; if it is for members only, just the fact that it exists."""

    audience = Audience.EVERYONE
    template_name = "start.html"

    def get(self, request):
        context = {"prefix": settings.TOKEN_PREFIX, "registration": settings.REGISTRATION}
        context["shows_activity"] = settings.SHOW_ACTIVITY and is_public()
        if not is_public():
            auth = ' -H "Authorization: Bearer $TOKEN"'
            ways = self.ways(has_entries=False, has_catalogue=False)
            return self.render(**context, **EXAMPLE, auth=auth, ways=ways)
        lists, validator, _ = reads.start_page()
        example = {}
        if skills := lists["skills"].results:
            example = {"example": skills[0].slug, "example_words": skills[0].title.lower()}
        uses = lists.pop("uses")
        if settings.SHOW_ACTIVITY and uses.agents:
            context["uses"] = [
                (as_text(uses.agents), f"agent{pluralize(uses.agents)}"),
                (as_text(uses.installs), f"install{pluralize(uses.installs)} this week"),
            ]
        entries = lists["skills"].count + lists["personas"].count
        has_catalogue = settings.GIT and 0 < entries <= settings.GIT_MAX_ENTRIES
        context["ways"] = self.ways(has_entries=entries > 0, has_catalogue=has_catalogue)
        return self.render(validator, **context, **example, **lists)

    def ways(self, *, has_entries, has_catalogue):
        """How an agent learns of the marketplace, as `(name, line)`."""
        base = base_url(self.request)
        if has_catalogue:
            yield "Claude Code", f"claude plugin marketplace add {base}/git/catalogue.git"
            yield "Codex", f"codex plugin marketplace add {base}/git/catalogue.git"
        if has_entries:
            yield "npx", f"npx skills add {base}"
        yield "Any agent", f"Read {base}/skill.md and follow it."
        yield "MCP", f"{base}/mcp"
