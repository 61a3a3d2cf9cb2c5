"""The log-in of staff"""

import pytest
from django.contrib.auth.models import User
from django.test import Client

URL = "/admin/login/"


@pytest.fixture
def staff(db):
    return User.objects.create_superuser("staff", password="right-password")


def attempt(username="staff", password="wrong", address="192.0.2.1"):
    return Client().post(
        URL, {"username": username, "password": password, "next": "/admin/"}, REMOTE_ADDR=address
    )


@pytest.mark.usefixtures("staff")
def test_the_right_password_opens_it():
    response = attempt(password="right-password")

    assert (response.status_code, response["Location"]) == (302, "/admin/")


@pytest.mark.usefixtures("staff")
def test_the_sixth_attempt_is_refused_even_with_the_right_password():
    assert [attempt().status_code for _ in range(5)] == [200] * 5

    response = attempt(password="right-password")

    assert response.status_code == 429
    assert 1 <= int(response["Retry-After"]) <= 900
    assert "Too many attempts" in response.content.decode()
    assert "sessionid" not in response.cookies


@pytest.mark.usefixtures("staff")
def test_the_name_is_counted_without_case_and_the_address_apart():
    for name in ("staff", "STAFF", " Staff ", "staff", "stAFF"):
        attempt(name)

    assert attempt("staff").status_code == 429
    assert attempt("other").status_code == 200
    assert attempt("staff", address="192.0.2.2").status_code == 200


@pytest.mark.usefixtures("staff")
def test_reading_the_page_counts_nothing():
    for _ in range(10):
        assert Client().get(URL).status_code == 200


def test_pages_have_a_strict_content_security_policy(anyone):
    page, data = anyone.get(URL), anyone.get("/api/v1/skills")

    assert page["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    assert "unsafe" not in anyone.get("/claim/unknown")["Content-Security-Policy"]
    assert data["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
