"""Errors of pages are pages too."""

import re

import pytest
from django.db import OperationalError

from tests.factories import SkillFactory
from tests.interfaces.pages import text_of, visible


@pytest.mark.contract("1.6")
@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/skills/none", "Skill not found"),
        ("/skills/No.Slug", "Skill not found"),
        ("/skills/a%00b/", "Skill not found"),
        ("/skills/draft", "Skill not found"),
        ("/personas/none", "Persona not found"),
        ("/skills/a/b", "Page not found"),
        ("/operator/none", "Page not found"),
        ("/claim/none", "Page not found"),
    ],
)
def test_an_unknown_path_below_a_page_is_a_404_page(person, path, error):
    SkillFactory(slug="draft", status="draft")

    page = person.get(path)

    assert f"404 {error} It may have been withdrawn" in visible(page, 404)


@pytest.mark.contract("1.6")
def test_an_unknown_path_of_the_admin_is_a_404_page(admin_client):
    assert "Page not found" in text_of(admin_client.get("/admin/none/"), 404)


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("/skills/pdf-table", ["pdf-tables", "pdf-tables-2"]),
        ("/skills/PDF%20Tables", ["pdf-tables", "pdf-tables-2"]),
        ("/personas/pdf-tables", []),
        ("/skills/zzz", []),
        ("/skills/pdf-table-s", []),
    ],
)
def test_a_404_page_names_what_may_have_been_meant(person, path, near):
    for slug in ("pdf-tables", "pdf-tables-2", "csv"):
        SkillFactory(slug=slug)
    SkillFactory(slug="pdf-table-s", status="withdrawn")

    page = person.get(path).content.decode()

    assert re.findall(r'<a href="/skills/([^"?]+)"', page) == near
    assert ("Did you mean" in page) == bool(near)


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
NO_PATH = {"error": "Not found: the API has no such path"}


@pytest.mark.contract("1.6")
@pytest.mark.parametrize("path", ["/nowhere", "/skils/pdf-tables", "/Nowhere", "/é"])
def test_an_unknown_address_is_a_page_for_a_browser_and_json_for_others(person, path):
    page = person.get(path, headers={"Accept": BROWSER})
    assert "404 Page not found" in visible(page, 404)

    for accept in ("*/*", "application/json", "application/json, text/html", "image/*", ""):
        response = person.get(path, headers={"Accept": accept})
        assert (response.status_code, response.json()) == (404, NO_PATH)


@pytest.mark.contract("1.6")
@pytest.mark.parametrize(
    "path", ["/api", "/api/v2/skills", "/API/v1/skills", "/.well-known/none", "/static/none.css"]
)
def test_an_unknown_address_of_programs_is_json_for_a_browser_too(person, path):
    response = person.get(path, headers={"Accept": "text/html"})

    assert (response.status_code, response.json()) == (404, NO_PATH)


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("/Skills", "/skills"),
        ("/SKILLS/pdf-tables?cursor=x%2Fy", "/skills/pdf-tables?cursor=x%2Fy"),
        ("/Personas/Arch%C3%A9", "/personas/Arch%C3%A9"),
        ("/Login", "/login"),
        ("/login", "/operator"),
        ("/reviews/?utm_source=mail", "/personas?sort=rating"),
        ("/search?q=pdf+tables", "/skills?q=pdf+tables"),
    ],
)
def test_addresses_that_people_type_redirect_to_a_page(person, path, address):
    response = person.get(path)

    assert (response.status_code, response["Location"]) == (302, address)


def test_a_form_is_led_nowhere(person):
    assert person.post("/Skills").status_code == 404


@pytest.mark.parametrize("path", ["/.well-known/none", "/skills/a/.well-known/none"])
def test_an_unknown_path_of_discovery_is_json(anyone, path):
    response = anyone.get(path)

    assert response.status_code == 404
    assert response.json() == {"error": "Not found: the API has no such path"}


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("cursor=x", "cursor is invalid"),
        ("sort=relevance", "sort=relevance needs a q to be relevant to"),
        ("q=%00", "Query string must not contain NUL characters"),
    ],
)
def test_a_bad_parameter_of_a_list_is_a_400_page(person, query, error):
    assert f"400 {error}" in visible(person.get(f"/skills?{query}"), 400)


def test_a_crash_is_a_page_that_tells_nothing(person, monkeypatch):
    def read(_):
        raise RuntimeError("the secret detail")

    monkeypatch.setattr("catalogue.reads.skill", read)

    text = visible(person.get("/skills/some"), 500)
    assert "500 Something went wrong" in text
    assert "secret" not in text


def test_an_unavailable_database_is_a_page_with_retry_after(person, monkeypatch):
    def read(_):
        raise OperationalError

    monkeypatch.setattr("catalogue.reads.skill", read)
    page = person.get("/skills/some")

    assert "503 Temporarily unavailable" in visible(page, 503)
    assert page.headers["Retry-After"] == "2"


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options"])
@pytest.mark.parametrize("path", ["/", "/skills", "/skills/pdf-tables", "/personas/archivist/"])
def test_pages_refuse_other_methods(person, catalogue, method, path):
    response = getattr(person, method)(path)

    assert response.status_code == 405
    assert response.headers["Allow"] == "GET, HEAD"
