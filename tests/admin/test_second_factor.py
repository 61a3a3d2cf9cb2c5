"""The second step of the log-in: a code from an authenticator app"""

from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.admin.authenticator import (
    LOGIN,
    OPEN_TO_ALL,
    PAGE,
    REFUSED,
    SKILLS,
    admin_paths,
    at_once,
    code_of,
    enter,
    is_open,
    log_in,
)


def test_one_who_has_set_it_up_is_asked_and_led_on(superuser, device):
    browser = log_in(superuser, SKILLS)

    closed = browser.get(SKILLS)
    login = browser.get(closed["Location"])
    page = browser.get(login["Location"])
    entered = enter(browser, code_of(device.bin_key), login["Location"])

    assert closed["Location"] == f"{LOGIN}?next={SKILLS}"
    assert login["Location"] == f"{PAGE}?next={SKILLS}"
    assert "your authenticator app shows for superuser, or one of your" in page.content.decode()
    assert (entered.status_code, entered["Location"]) == (302, SKILLS)
    assert is_open(browser, SKILLS)


def test_no_page_is_open_before_the_code(superuser, device):
    browser = log_in(superuser)
    paths = [*admin_paths(), "/admin/catalogue/", "/admin/nowhere/"]
    assert len(paths) > 100

    # `admin_view` refuses every method alike.
    assert browser.post(SKILLS, {"confirmed": "yes"})["Location"] == f"{LOGIN}?next={SKILLS}"
    for path in set(paths) - OPEN_TO_ALL:
        response = browser.get(path)

        assert response.status_code == 302, path
        assert response["Location"] == f"{LOGIN}?next={quote(path)}"


def test_the_code_gives_the_session_another_key(superuser, device):
    browser = log_in(superuser)
    before = browser.session.session_key

    enter(browser, code_of(device.bin_key))

    assert browser.session.session_key != before
    assert not browser.session.exists(before)


@pytest.mark.parametrize("code", ["", "12345", "abcdef", "0" * 11, "1_2_3", "\0"])
def test_a_wrong_code_of_the_app_is_refused(superuser, device, code):
    browser = log_in(superuser)

    response = enter(browser, code)

    assert response.status_code == 200
    assert response.context["form"].errors["code"]
    assert not is_open(browser)


def test_a_code_may_hold_spaces(superuser, device):
    browser, code = log_in(superuser), code_of(device.bin_key)

    assert enter(browser, f" {code[:3]} {code[3:]}").status_code == 302
    assert is_open(browser)


def test_a_code_opens_one_session_only(superuser, device):
    first, second = log_in(superuser), log_in(superuser)
    code = code_of(device.bin_key)
    assert enter(first, code).status_code == 302

    again = enter(second, code)

    assert again.context["form"].errors == {"code": [REFUSED]}
    assert not is_open(second)


def test_the_code_of_another_user_opens_nothing(superuser, grace, device):
    TOTPDevice.objects.create(user=grace, name="Authenticator app")
    browser = log_in(grace)

    response = enter(browser, code_of(device.bin_key))

    assert response.context["form"].errors == {"code": [REFUSED]}
    assert not is_open(browser, SKILLS)


def test_wrong_codes_count_as_wrong_passwords_do(superuser, device, settings):
    settings.OTP_TOTP_THROTTLE_FACTOR = 0
    browser = log_in(superuser)
    assert [enter(browser, "000000").status_code for _ in range(5)] == [200] * 5

    response = enter(browser, code_of(device.bin_key))

    assert response.status_code == 429
    assert 1 <= int(response["Retry-After"]) <= 900
    assert "Too many attempts" in response.content.decode()
    fields = {"username": "superuser", "password": "right-password"}
    assert Client().post(LOGIN, fields).status_code == 429
    assert not is_open(browser)


def test_wrong_codes_count_for_the_user_whatever_name_is_posted(superuser, device, settings):
    settings.OTP_TOTP_THROTTLE_FACTOR = 0
    browser = log_in(superuser)

    statuses = [
        browser.post(PAGE, {"code": "000000", "username": f"n{number}"}).status_code
        for number in range(6)
    ]

    assert statuses == [200] * 5 + [429]


def test_after_a_wrong_code_the_next_one_has_to_wait(superuser, device, settings):
    settings.OTP_TOTP_THROTTLE_FACTOR = 60
    browser = log_in(superuser)
    enter(browser, "000000")

    response = enter(browser, code_of(device.bin_key))

    assert (response.status_code, response["Retry-After"]) == (429, "60")
    assert response.context["form"].errors == {
        "code": ["Too soon after a wrong code. Wait a moment, then try again."]
    }
    assert not is_open(browser)


def test_one_who_gives_up_can_log_out(superuser, device):
    browser = log_in(superuser)

    browser.post("/admin/logout/")

    assert browser.get(PAGE)["Location"] == f"{LOGIN}?next={PAGE}"


def test_the_page_leads_to_no_other_site(superuser, device):
    browser = log_in(superuser)

    response = enter(browser, code_of(device.bin_key), f"{PAGE}?next=https://example.com/")

    assert response["Location"] == "/admin/"


@pytest.mark.django_db
def test_the_page_is_for_staff_only():
    person = User.objects.create_user("person")
    for browser in (Client(), Client()):
        response = browser.get(PAGE)
        assert response["Location"] == f"{LOGIN}?next={PAGE}"
        browser.force_login(person)
        assert browser.post(PAGE, {"code": "1"})["Location"] == f"{LOGIN}?next={PAGE}"


@pytest.mark.django_db(transaction=True)
def test_a_code_admits_one_of_two_simultaneous_browsers(superuser, device):
    code = code_of(device.bin_key)
    browsers = [log_in(superuser) for _ in range(2)]

    statuses = at_once(lambda browser: enter(browser, code).status_code, *browsers)

    assert sorted(statuses) in ([200, 302], [302, 429])
