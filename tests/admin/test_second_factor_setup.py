"""Setting up a second factor, requiring it, and removing it"""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.admin.actions import take_action, told
from tests.admin.authenticator import (
    CODES,
    LOGIN,
    PAGE,
    SKILLS,
    at_once,
    code_of,
    enter,
    is_open,
    key_shown,
    log_in,
)
from tests.admin.rows import change_page


def test_anyone_of_the_staff_may_set_it_up(grace):
    browser, elsewhere = log_in(grace), log_in(grace)
    assert is_open(browser)
    key = key_shown(browser.get(PAGE))

    wrong = enter(browser, "000000")
    assert wrong.context["form"].errors == {"code": ["Wrong code. Check the clock of your phone."]}
    assert key_shown(wrong) == key
    assert not TOTPDevice.objects.exists()
    entered = enter(browser, code_of(key))

    assert (entered.status_code, entered["Location"]) == (302, CODES)
    page = browser.get(CODES)
    assert told(page) == ["Each log-in now asks for a code."]
    assert page.context["next"] == "/admin/"
    device = TOTPDevice.objects.get()
    assert (device.user, device.bin_key, device.confirmed) == (grace, key, True)
    assert not is_open(elsewhere)
    assert enter(elsewhere, code_of(key, step=1)).status_code == 302
    assert is_open(elsewhere)


def test_setting_it_up_is_in_the_history_and_the_key_on_no_page(superuser):
    browser = log_in(superuser)
    page = browser.get(PAGE)
    enter(browser, code_of(key_shown(page)))

    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_id) == (superuser, str(superuser.pk))
    assert entry.get_change_message() == "Set up a second factor."
    device = TOTPDevice.objects.get()
    keys = [device.key, re.search(r"secret=(\w+)", page.content.decode())[1]]
    change = change_page(superuser)
    for address in (PAGE, "/admin/auth/user/", change, change.replace("change", "history")):
        text = browser.get(address).content.decode()
        assert not [key for key in keys if key in text], address
    assert "second_factor_key" not in browser.session


def test_each_session_gets_a_key_of_its_own_and_keeps_it(superuser):
    first, second = log_in(superuser), log_in(superuser)

    key = key_shown(first.get(PAGE))

    assert key_shown(first.get(PAGE)) == key
    assert key_shown(second.get(PAGE)) != key


@pytest.mark.parametrize(
    ("setting", "people"),
    [("off", "Nobody has"), ("superusers", "Superusers have"), ("staff", "All staff have")],
)
def test_the_setting_says_who_has_to(settings, superuser, grace, setting, people):
    settings.SECOND_FACTOR = setting

    browser = log_in(superuser)
    assert is_open(browser) == (setting == "off")
    assert is_open(log_in(grace)) == (setting != "staff")
    if setting != "off":
        enter(browser, code_of(key_shown(browser.get(PAGE))))
    page = browser.get(change_page(grace)).content.decode()
    assert f"{people} to set one up, because SECOND_FACTOR={setting}. The deployer" in page


def test_one_who_has_to_is_led_to_it_and_reaches_nothing_before(settings, superuser):
    settings.SECOND_FACTOR = "staff"
    browser = log_in(superuser, SKILLS)
    assert browser.get(SKILLS)["Location"] == f"{LOGIN}?next={SKILLS}"

    page = browser.get(f"{LOGIN}?next={SKILLS}")["Location"]
    entered = enter(browser, code_of(key_shown(browser.get(page))), page)

    assert page == f"{PAGE}?next={SKILLS}"
    assert (entered.status_code, entered["Location"]) == (302, CODES)
    assert browser.get(CODES).context["next"] == SKILLS
    assert is_open(browser, SKILLS)


def test_a_session_of_a_password_closes_once_the_setting_demands_more(settings, superuser):
    browser = log_in(superuser)
    assert is_open(browser)

    settings.SECOND_FACTOR = "superusers"

    assert not is_open(browser)


def test_one_who_needs_nothing_more_is_led_on(superuser):
    browser = log_in(superuser)

    login = browser.get(f"{LOGIN}?next={SKILLS}")

    assert browser.get(login["Location"])["Location"] == SKILLS


def test_the_pages_need_few_queries(superuser, grace, device):
    for browser in (log_in(superuser), log_in(grace)):
        with CaptureQueriesContext(connection) as queries:
            assert browser.get(PAGE).status_code == 200
        assert len(queries) <= 15, [query["sql"] for query in queries]


@pytest.mark.django_db(transaction=True)
def test_one_of_two_simultaneous_setups_succeeds(superuser):
    browsers = {
        browser: key_shown(browser.get(PAGE)) for browser in (log_in(superuser), log_in(superuser))
    }

    statuses = at_once(
        lambda browser: enter(browser, code_of(browsers[browser])).status_code, *browsers
    )

    assert sorted(statuses) in ([200, 302], [302, 429])
    assert TOTPDevice.objects.count() == 1


def test_a_superuser_removes_it_and_the_sessions_end(admin_client, superuser, device):
    browser, page = log_in(superuser), change_page(superuser)
    enter(browser, code_of(device.bin_key))
    assert "set up" in admin_client.get("/admin/auth/user/").content.decode()
    assert "Remove the second factor" in admin_client.get(page).content.decode()
    confirmation = admin_client.get(page.replace("change", "do/remove_second_factor"))
    assert "For a user who has lost the app." in confirmation.content.decode()
    assert TOTPDevice.objects.exists()

    take_action(admin_client, "remove_second_factor", superuser)

    assert not TOTPDevice.objects.exists()
    entry = LogEntry.objects.get()
    assert (entry.user.username, entry.object_id) == ("clerk-0", str(superuser.pk))
    assert entry.get_change_message() == "Removed the second factor."
    assert not is_open(browser)
    assert browser.get(PAGE)["Location"] == f"{LOGIN}?next={PAGE}"
    assert browser.get(LOGIN).status_code == 200
    assert is_open(log_in(superuser))
    assert "Remove the second factor" not in admin_client.get(page).content.decode()


def test_a_session_that_a_removed_factor_opened_cannot_set_up_another(settings, superuser, device):
    settings.SECOND_FACTOR = "staff"
    browser = log_in(superuser)
    enter(browser, code_of(device.bin_key))
    device.delete()

    response = browser.post(PAGE, {"code": "1"})

    assert response["Location"] == f"{LOGIN}?next={PAGE}"
    assert browser.get(PAGE)["Location"] == f"{LOGIN}?next={PAGE}"


def test_a_session_that_a_replaced_factor_opened_is_closed(superuser, device):
    browser = log_in(superuser)
    enter(browser, code_of(device.bin_key))
    device.delete()
    TOTPDevice.objects.create(user=superuser, name="Another app")

    assert not is_open(browser)
    assert browser.get(PAGE)["Location"] == f"{LOGIN}?next={PAGE}"


def test_permission_to_change_users_does_not_remove_it(admin_client_of, superuser, device):
    clerk = admin_client_of("Editors")
    permissions = Permission.objects.filter(codename__in=["view_user", "change_user"])
    User.objects.get(username="Editors").user_permissions.set(permissions)

    page = change_page(superuser)
    assert "Remove the second factor" not in clerk.get(page).content.decode()
    do = page.replace("change", "do/remove_second_factor")
    assert clerk.post(do, {"confirmed": "yes"}).status_code == 403
    take_action(clerk, "remove_second_factor", superuser)

    assert TOTPDevice.objects.exists()


def test_a_command_removes_it(superuser, device, capsys):
    call_command("remove_second_factor", "superuser")

    assert (
        capsys.readouterr().out
        == "Removed. The next log-in of superuser needs only the password.\n"
    )
    assert not TOTPDevice.objects.exists()
    assert LogEntry.objects.get().get_change_message() == (
        "Removed the second factor with manage.py."
    )
    with pytest.raises(CommandError, match="superuser has no second factor"):
        call_command("remove_second_factor", "superuser")
    with pytest.raises(CommandError, match="No user is called 'nobody'"):
        call_command("remove_second_factor", "nobody")
