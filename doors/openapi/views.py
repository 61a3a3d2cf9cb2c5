from functools import cache
from hashlib import sha256

import orjson
from django.http import HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from doors.openapi.document import document
from marketplace.answers import is_known
from marketplace.viewsets import PublicViewSet


@cache
def document_and_etag():
    """The document as it is sent; it changes with a release or the configuration only."""
    content = orjson.dumps(document())
    return content, f'"{sha256(content).hexdigest()[:32]}"'


class DocumentViewSet(PublicViewSet):
    """The description of the API, without a query; scripts of any site may read it."""

    schema = None
    default_response_headers = {
        "Cache-Control": "public, max-age=300",
        "Access-Control-Allow-Origin": "*",
    }

    def retrieve(self, request):
        content, etag = document_and_etag()
        if is_known(request, etag):
            return HttpResponseNotModified(headers={"ETag": etag})
        return HttpResponse(content, content_type="application/json", headers={"ETag": etag})


@require_safe
@cache_control(public=True, max_age=300)
@conditional_page
def docs(request):
    """The description as a page from which the API can be tried."""
    return render(request, "docs.html")
