"""The log-in of staff"""

from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from marketplace.adminsite.failed_logins import hashing
from marketplace.models import RateCount
from tests.system.races import in_parallel, statuses
from tests.system.staff import Browser

URL = "/admin/login/"
RIGHT = "right-password"


@pytest.fixture
def staff(db):
    return User.objects.create_superuser("staff", password=RIGHT)


def attempt(username="staff", password="wrong", address="192.0.2.1"):
    return Client(raise_request_exception=False).post(
        URL, {"username": username, "password": password, "next": "/admin/"}, REMOTE_ADDR=address
    )


def assert_refused(response, text, seconds):
    assert response.status_code == 429
    assert response["Content-Type"].startswith("text/html")
    assert int(response["Retry-After"]) in seconds
    assert text in response.content.decode()
    assert "staff" not in response.cookies


@pytest.mark.usefixtures("staff")
def test_the_right_password_opens_it():
    response = attempt(password=RIGHT)

    assert (response.status_code, response["Location"]) == (302, "/admin/")


@pytest.mark.usefixtures("staff")
def test_the_session_is_of_the_admin_alone_and_ends_after_twelve_hours():
    response = attempt(password="right-password")

    session = response.cookies["staff"]
    attributes = ("path", "samesite", "httponly", "max-age", "domain")
    assert [session[name] for name in attributes] == ["/admin/", "Strict", True, 43_200, ""]


@pytest.mark.usefixtures("staff")
def test_writing_to_a_session_does_not_prolong_it():
    session = attempt(password="right-password").client.session

    in_an_hour = timezone.now() + timedelta(hours=1)

    assert 10.9 < session.get_expiry_age(modification=in_an_hour) / 3600 <= 11.001


@pytest.mark.usefixtures("staff")
def test_a_link_on_another_site_leads_to_its_page_again():
    # The browser sends no strict cookie along the link, but does so from the page of the log-in.
    address = f"{URL}?next=/admin/catalogue/skill/%3Fq%3Dpdf"
    page = Client().get(address, headers={"Sec-Fetch-Site": "cross-site"}).content.decode()
    usual = Client().get(address, headers={"Sec-Fetch-Site": "same-origin"}).content.decode()

    link = f'If you are already logged in, <a class="staff-link" href="{address}">continue</a>.'
    assert link in page
    assert link not in usual
    browser = attempt(password="right-password").client
    assert browser.get(address, follow=True).redirect_chain[-1] == (
        "/admin/catalogue/skill/?q=pdf",
        302,
    )


@pytest.mark.usefixtures("staff")
def test_one_who_is_logged_in_is_led_to_no_other_site():
    browser = attempt(password="right-password").client

    response = browser.get(f"{URL}?next=https://example.com/", follow=True)

    assert response.redirect_chain[-1] == ("/admin/", 302)


@pytest.mark.contract("11.10")
@pytest.mark.usefixtures("staff")
def test_the_right_password_never_counts():
    for _ in range(7):
        assert attempt(password=RIGHT).status_code == 302

    assert [attempt().status_code for _ in range(6)] == [200] * 5 + [429]


@pytest.mark.contract("11.10")
@pytest.mark.usefixtures("staff")
def test_after_five_wrong_passwords_even_the_right_one_is_refused():
    assert [attempt().status_code for _ in range(5)] == [200] * 5

    response = attempt(password=RIGHT)

    assert_refused(response, "Too many attempts", range(1, 901))


@pytest.mark.usefixtures("staff")
def test_an_address_has_thirty_wrong_passwords_for_all_names_together():
    for number in range(30):
        assert attempt(f"name-{number}").status_code == 200

    assert_refused(attempt(password=RIGHT), "Too many attempts", range(1, 901))
    assert attempt(password=RIGHT, address="192.0.2.2").status_code == 302


@pytest.mark.usefixtures("staff")
def test_failed_log_ins_count_an_ipv6_client_by_its_64(rates):
    rates(login_address="2/15m")
    for number in range(2):
        attempt(f"name-{number}", address=f"2001:db8:0:1::{number}")

    assert attempt("another", address="2001:db8:0:1:ffff::9").status_code == 429
    assert attempt("another", address="2001:db8:0:2::1").status_code == 200


@pytest.mark.usefixtures("staff")
def test_one_password_is_hashed_at_a_time_and_nobody_waits():
    with hashing:
        response = attempt(password=RIGHT)

    assert_refused(response, "Somebody else is logging in", [1])
    assert not RateCount.objects.filter(count__gt=0).exists()
    assert attempt(password=RIGHT).status_code == 302


@pytest.mark.usefixtures("staff")
def test_the_next_one_has_its_turn_after_a_crash(monkeypatch):
    with monkeypatch.context() as crashing:
        crashing.setattr(ModelBackend, "authenticate", lambda *_, **__: 1 / 0)
        assert attempt(password=RIGHT).status_code == 500

    assert attempt(password=RIGHT).status_code == 302


@pytest.mark.contract("11.10")
def test_concurrent_tries_are_told_of_no_more_wrong_passwords_than_the_limit(live_server_of):
    User.objects.create_superuser("staff", password=RIGHT)
    server = live_server_of(WEB_CONCURRENCY="2", RATE_LIMIT_LOGIN_ADDRESS="3/1000d")
    calls = []
    for number in range(16):
        browser = Browser(server)
        form = browser.form(browser.get(URL)) | {"username": f"n-{number}", "password": "wrong"}
        calls.append(partial(browser.post, URL, form))

    # Each time somebody has a turn.
    rounds = [statuses(in_parallel(calls)) for _ in range(4)]

    assert sum(responses[200] for responses in rounds) == 3
    assert rounds[-1] == {429: 16}


@pytest.mark.usefixtures("staff")
def test_the_name_is_counted_without_case_and_the_address_apart():
    for name in ("staff", "STAFF", " Staff ", "\uff53taff", "stAFF"):
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
