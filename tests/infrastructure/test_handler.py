"""Literal paths are resolved once, all others at each request."""

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.urls import Resolver404

from infrastructure.handler import Handler, is_literal

pytestmark = pytest.mark.infrastructure
ME, SKILL = "/api/v1/agents/me", "/api/v1/skills/pdf-tables"


@pytest.fixture
def resolved(rf, monkeypatch):
    """Resolve paths with one handler: the matches, and the paths that Django resolved."""
    django_paths, resolve = [], WSGIHandler.resolve_request

    def count(handler, request):
        django_paths.append(request.path_info)
        return resolve(handler, request)

    monkeypatch.setattr(WSGIHandler, "resolve_request", count)

    def resolved(*paths):
        handler, matches = Handler(), []
        for request in map(rf.get, paths):
            match = handler.resolve_request(request)
            assert request.resolver_match is match
            matches.append((match.url_name, match.kwargs))
        return matches, django_paths

    return resolved


def test_a_literal_path_is_resolved_once(resolved):
    matches, paths = resolved(ME, f"{ME}/", ME, f"{ME}/", ME)

    assert matches == [("profile-me", {})] * 5
    assert paths == [ME, f"{ME}/"]


def test_a_path_with_parameters_is_resolved_each_time(resolved):
    matches, paths = resolved(SKILL, "/api/v1/skills/csv", SKILL)

    assert matches == [
        ("skill-detail", {"slug": slug}) for slug in ("pdf-tables", "csv", "pdf-tables")
    ]
    assert paths == [SKILL, "/api/v1/skills/csv", SKILL]


def test_paths_of_a_pattern_without_parameters_are_not_kept(resolved):
    """Their number is unlimited: any path below a page is a 404."""
    _, paths = resolved("/skills/a/b/c", "/skills/a/b/c")

    assert paths == ["/skills/a/b/c"] * 2


def test_an_unknown_path_stays_unknown(resolved):
    for _ in range(2):
        with pytest.raises(Resolver404):
            resolved("/api/v1/nothing")


@pytest.mark.parametrize(
    ("route", "path", "expected"),
    [
        ("api/v1/^agents/me/?$", "/api/v1/agents/me", True),
        ("api/v1/^agents/me/?$", "/api/v1/agents/me/", True),
        ("^$", "/", False),
        ("admin/", "/admin/", False),
        ("api/v1/^skills/(?P<slug>[^/]+)/?$", "/api/v1/skills/pdf", False),
        (r"^skill\.md/?$", "/skill.md", False),
        ("^(?:skills|claim)/", "/skills/a", False),
    ],
)
def test_a_route_is_literal_if_it_is_its_path(route, path, expected):
    assert is_literal(route, path) == expected
