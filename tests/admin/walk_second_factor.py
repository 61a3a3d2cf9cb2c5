"""A step of the walk through the admin: a second factor for the log-in."""

from base64 import b32decode

from django.contrib.auth.models import User
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice


def set_up_a_second_factor(staff):
    staff.open("/admin/second-factor/")
    key = b32decode(staff.page.inner_text(".staff-token").strip())
    staff.look("second-factor")
    enter_code(staff, "000000", "Set up")
    staff.look("second-factor-wrong")
    TOTPDevice.objects.update(throttling_failure_count=0)
    enter_code(staff, f"{totp(key):06}", "Set up")
    assert "Each log-in now asks for a code." in staff.text()
    codes = staff.page.inner_text(".staff-token").split()
    assert len(codes) == 10
    staff.look("recovery-codes")
    staff.press("Continue")
    assert staff.page.url == f"{staff.url}/admin/"
    staff.open("/admin/second-factor/")
    staff.look("second-factor-set-up")

    staff.page.context.clear_cookies(name="staff")
    staff.log_in(f"{staff.url}/admin/second-factor/?next=/admin/")
    enter_code(staff, "000000", "Log in")
    staff.look("code-wrong")
    TOTPDevice.objects.update(throttling_failure_count=0)
    enter_code(staff, f"{totp(key, drift=1):06}", "Log in")
    assert staff.page.url == f"{staff.url}/admin/"
    lose_the_phone(staff, codes)
    user = User.objects.get()
    staff.open(f"/admin/auth/user/{user.pk}/change/")
    staff.look("user")


def lose_the_phone(staff, codes):
    """One recovery code is enough, to remove the factor and to set it up on another phone."""
    staff.page.context.clear_cookies(name="staff")
    staff.log_in(f"{staff.url}/admin/second-factor/?next=/admin/")
    enter_code(staff, codes[0], "Remove the second factor")
    assert "Your second factor is removed." in staff.page.inner_text("body")
    staff.look("second-factor-removed")
    key = b32decode(staff.page.inner_text(".staff-token").strip())
    enter_code(staff, f"{totp(key):06}", "Set up")
    assert not set(codes).intersection(staff.page.inner_text(".staff-token").split())


def enter_code(staff, code, button):
    staff.page.fill("#id_code", code)
    staff.press(button)
