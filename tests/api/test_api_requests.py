"""What an API view gets and returns, with the infrastructure and without it."""

import gc
import json
import weakref

from django.test import RequestFactory
from rest_framework.response import Response

from marketplace.access import Audience
from marketplace.api.viewsets import PublicViewSet
from search.views import SkillListViewSet
from tests.factories import SkillFactory


class EchoViewSet(PublicViewSet):
    audience = Audience.EVERYONE
    last_request = None

    def create(self, request):
        EchoViewSet.last_request = weakref.ref(request)
        names = {"user": request.user, "auth": request.auth, "data": request.data}
        return Response({**names, "query": request.query_params.getlist("name")})


def respond():
    request = RequestFactory().post("/?name=a&name=b", {"size": 3}, "application/json")
    return EchoViewSet.as_view({"post": "create"})(request)


def test_a_request_has_the_names_that_drf_gives_it():
    assert json.loads(respond().content) == {
        "user": None,
        "auth": None,
        "data": {"size": 3},
        "query": ["a", "b"],
    }


def test_request_and_response_are_freed_before_the_garbage_collector_runs():
    gc.disable()
    try:
        response = weakref.ref(respond())
        assert (EchoViewSet.last_request(), response()) == (None, None)
    finally:
        gc.enable()


def test_the_request_of_a_list_is_freed_before_the_garbage_collector_runs(db):
    SkillFactory(slug="pdf-tables")
    gc.disable()
    try:
        request = RequestFactory().get("/api/v1/skills")
        response = SkillListViewSet.as_view({"get": "list"})(request)
        assert json.loads(response.content)["count"] == 1
        freed = weakref.ref(request)
        del request, response
        assert freed() is None
    finally:
        gc.enable()
