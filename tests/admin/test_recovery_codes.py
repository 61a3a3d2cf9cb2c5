"""Recovery codes, and removing one's own second factor with a code"""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django_otp.plugins.otp_totp.models import TOTPDevice

from marketplace.models import RecoveryCode
from tests.admin.actions import told
from tests.admin.authenticator import (
    CODES,
    LOGIN,
    PAGE,
    REFUSED,
    SKILLS,
    at_once,
    code_of,
    enter,
    is_open,
    key_shown,
    log_in,
)
from tests.admin.rows import change_page

USERS = "/admin/auth/user/"


@pytest.fixture
def codes(device):
    return RecoveryCode.objects.renew(device)


def codes_shown(browser):
    """The codes of the page, as a person copies them."""
    return re.findall(r"\b\d{5}(?:-\d{5}){3}\b", browser.get(CODES).content.decode())


def messages_of(user):
    entries = LogEntry.objects.filter(object_id=user.pk).order_by("pk")
    return [entry.get_change_message() for entry in entries]


def rows_of(browser, address=USERS):
    """`{user name: second factor}` of the list."""
    rows = browser.get(address).context["cl"].result_list
    return {user.username: (user.has_second_factor, user.recovery_codes) for user in rows}


def test_whoever_sets_up_a_factor_gets_ten_codes_which_one_browser_shows(grace):
    browser, elsewhere = log_in(grace), log_in(grace)
    key = key_shown(browser.get(PAGE))

    enter(browser, code_of(key))

    shown = codes_shown(browser)
    assert len(set(shown)) == RecoveryCode.objects.count() == 10
    stored = " ".join(RecoveryCode.objects.values_list("digest", flat=True))
    assert not [code for code in shown if code.replace("-", "") in stored]
    enter(elsewhere, code_of(key, step=1))
    assert elsewhere.get(CODES)["Location"] == PAGE
    assert "no-store" in browser.get(CODES)["Cache-Control"]
    assert enter(log_in(grace), shown[3]).status_code == 302


def test_a_code_replaces_one_of_the_app_once_and_is_recorded(superuser, codes):
    browser = log_in(superuser)

    entered = enter(browser, codes[0], f"{PAGE}?next={SKILLS}")

    assert (entered.status_code, entered["Location"]) == (302, SKILLS)
    assert told(browser.get(SKILLS)) == ["You used a recovery code. You have 9 left."]
    assert messages_of(superuser) == ["Logged in with a recovery code; 9 left."]
    again = log_in(superuser)
    refused = enter(again, codes[0])
    assert refused.context["form"].errors == {"code": [REFUSED]}
    assert not is_open(again)


def test_wrong_codes_wait_and_count_as_those_of_the_app(superuser, codes, settings):
    settings.OTP_TOTP_THROTTLE_FACTOR = 60
    browser, wrong = log_in(superuser), "0" * 20
    assert enter(browser, wrong).context["form"].errors == {"code": [REFUSED]}
    waiting = enter(browser, codes[0])
    assert waiting.status_code == 429
    assert 50 < int(waiting["Retry-After"]) <= 60  # less by what the machine took

    TOTPDevice.objects.update(throttling_failure_count=0)
    settings.OTP_TOTP_THROTTLE_FACTOR = 0
    assert [enter(browser, wrong).status_code for _ in range(4)] == [200] * 4
    locked = enter(browser, codes[0])

    assert locked.status_code == 429
    assert "Too many attempts" in locked.content.decode()
    assert RecoveryCode.objects.count() == 10


def test_a_code_of_somebody_else_opens_nothing(grace, codes):
    TOTPDevice.objects.create(user=grace, name="Authenticator app")
    browser = log_in(grace)

    assert enter(browser, codes[0]).context["form"].errors == {"code": [REFUSED]}
    assert not is_open(browser)
    assert RecoveryCode.objects.count() == 10


@pytest.mark.django_db(transaction=True)
def test_a_recovery_code_admits_one_of_two_simultaneous_browsers(superuser, codes):
    browsers = [log_in(superuser) for _ in range(2)]

    statuses = at_once(lambda browser: enter(browser, codes[0]).status_code, *browsers)

    assert sorted(statuses) in ([200, 302], [302, 429])
    assert RecoveryCode.objects.count() == 9


def test_a_code_brings_new_codes_and_ends_the_old_ones(superuser, device, codes):
    browser = log_in(superuser)
    enter(browser, codes[0])
    page = browser.get(PAGE).content.decode()
    assert "You have 9 recovery codes left" in page
    wrong = enter(browser, codes[0], do="renew")
    assert wrong.context["form"].errors == {"code": [REFUSED]}
    TOTPDevice.objects.update(throttling_failure_count=0)

    renewed = enter(browser, code_of(device.bin_key), do="renew")

    assert (renewed.status_code, renewed["Location"]) == (302, CODES)
    shown = codes_shown(browser)
    assert (len(shown), RecoveryCode.objects.count()) == (10, 10)
    assert messages_of(superuser)[-1] == "Made new recovery codes."
    assert enter(log_in(superuser), codes[1]).status_code == 200
    TOTPDevice.objects.update(throttling_failure_count=0)
    assert enter(log_in(superuser), shown[0]).status_code == 302


def test_one_who_has_lost_the_phone_needs_one_recovery_code_and_no_shell(
    superuser, device, codes, settings
):
    settings.SECOND_FACTOR = "staff"
    RecoveryCode.objects.exclude(digest=RecoveryCode.objects.first().digest).delete()
    old_phone, browser = log_in(superuser), log_in(superuser)
    enter(old_phone, code_of(device.bin_key))
    assert "If you have lost the app, enter a recovery code" in browser.get(PAGE).content.decode()

    removed = enter(browser, codes[0], do="remove")

    assert (removed.status_code, removed["Location"]) == (302, PAGE)
    assert not TOTPDevice.objects.exists()
    assert messages_of(superuser) == ["Removed the second factor with a code."]
    page = browser.get(PAGE)
    assert told(page) == ["Your second factor is removed."]
    assert not is_open(browser)  # The setting wants another one.
    assert old_phone.get(PAGE)["Location"] == f"{LOGIN}?next={PAGE}"

    key = key_shown(page)
    assert enter(browser, code_of(key))["Location"] == CODES
    assert len(codes_shown(browser)) == 10
    assert is_open(browser)
    again = log_in(superuser)
    assert enter(again, code_of(key, step=1)).status_code == 302


def test_a_code_of_the_app_removes_it_from_an_open_session(superuser, device):
    browser = log_in(superuser)
    enter(browser, code_of(device.bin_key))

    used = enter(browser, code_of(device.bin_key), do="remove")
    assert used.context["form"].errors == {"code": [REFUSED]}
    TOTPDevice.objects.update(throttling_failure_count=0)
    removed = enter(browser, code_of(device.bin_key, step=1), do="remove")

    assert removed["Location"] == PAGE
    assert is_open(browser)
    assert is_open(log_in(superuser))


def test_superusers_see_who_has_one_and_filter_by_it(superuser, grace, device, codes, admin_client):
    RecoveryCode.objects.spend(device, codes[0])
    clerk = User.objects.get(username="clerk-0").username

    assert rows_of(admin_client) == {
        "superuser": (True, 9),
        "grace": (False, 0),
        clerk: (False, 0),
    }
    text = admin_client.get(USERS).content.decode()
    assert re.findall(r"field-second_factor[^>]*>\s*([^<]+?)\s*<", text).count("none") == 2
    assert "set up, 9 recovery codes" in text
    assert rows_of(admin_client, f"{USERS}?second_factor=yes") == {"superuser": (True, 9)}
    assert [*rows_of(admin_client, f"{USERS}?second_factor=no")] == [clerk, "grace"]
    assert "set up, 9 recovery codes" in admin_client.get(change_page(superuser)).content.decode()
