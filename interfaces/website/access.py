"""How pages ask who may read the catalogue (contract 26.8)."""

from urllib.parse import quote

from django.http import Http404, HttpResponseRedirect
from django.urls import reverse

from marketplace import access
from marketplace.access import Audience
from marketplace.api.links import MAX_ADDRESS
from marketplace.middleware.pages import has_method


def refusal(view, request):
    """A redirect to the log-in, or None for visitors who may read the page. Raises Http404."""
    if access.is_public() or view.audience is Audience.EVERYONE:
        return None
    if view.audience is Audience.OUTSIDERS:
        raise Http404
    # A method that the page does not have is a 405, whoever asks.
    if not has_method(request.resolver_match.func, request.method):
        return None
    if access.may_read(request, for_people=True):
        return None
    return to_log_in(request)


def to_log_in(request):
    """A redirect to the log-in, which leads back."""
    page = request.get_full_path()
    back = page if len(page) <= MAX_ADDRESS else quote(request.path)
    address = reverse("operator", query={"next": back[:MAX_ADDRESS]})
    return HttpResponseRedirect(address, headers={"Cache-Control": "no-store"})


def shown_to(view, response):
    """The response; no cache may keep it if only readers of a closed catalogue may see it."""
    if access.is_public() or view.audience is Audience.EVERYONE:
        return response
    return access.keep_private(response)
