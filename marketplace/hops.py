"""A page that sends itself on once, so that the browser brings the strict cookies of this site.

A browser sends none with a navigation that another site began. The hop is a navigation of our own.
"""

from http import HTTPStatus

from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

HERE = "here"  # marks the address that the browser opens from our own page


def has_hopped(request):
    return HERE in request.GET


def hop(request, title):
    query = request.GET.copy()
    query[HERE] = "1"
    context = {"address": f"{request.path}?{query.urlencode()}", "seconds": 0, "title": title}
    return render(request, "hop.html", context)


def wait(request, title):
    """A page that opens the same address in a second, when another request is done."""
    context = {"address": request.get_full_path(), "seconds": 1, "title": title}
    response = render(request, "hop.html", context, status=HTTPStatus.SERVICE_UNAVAILABLE)
    response["Retry-After"] = "1"
    add_never_cache_headers(response)
    return response
