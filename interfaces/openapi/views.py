from functools import cache
from hashlib import sha256

import orjson
from django.http import HttpResponse, HttpResponseNotModified
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from interfaces.openapi.document import document
from marketplace.api.viewsets import PublicViewSet
from marketplace.http_cache.responses import is_not_modified, public_response
from marketplace.http_cache.validators import ALWAYS_FRESH
from marketplace.middleware.pages import page


@cache
def document_and_etag():
    """The document as it is sent; it changes with a release or the configuration only."""
    content = orjson.dumps(document())
    return content, f'"{sha256(content).hexdigest()[:32]}"'


class DocumentViewSet(PublicViewSet):
    """The description of the API, without a query."""

    allows_any_origin = True
    schema = None
    default_response_headers = {"Cache-Control": "public, max-age=300"}

    def retrieve(self, request):
        content, etag = document_and_etag()
        if is_not_modified(request.META, etag):
            return HttpResponseNotModified(headers={"ETag": etag})
        return HttpResponse(content, content_type="application/json", headers={"ETag": etag})


@csrf_exempt
@page
@require_safe
def docs(request):
    """The description as a page from which the API can be tried."""
    content_type = "text/html; charset=utf-8"
    return public_response(render_to_string("docs.html"), ALWAYS_FRESH, content_type=content_type)
