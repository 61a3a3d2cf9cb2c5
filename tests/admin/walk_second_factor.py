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
    staff.open("/admin/second-factor/")
    staff.look("second-factor-set-up")

    staff.page.context.clear_cookies(name="staff")
    staff.log_in(f"{staff.url}/admin/second-factor/?next=/admin/")
    enter_code(staff, "000000", "Log in")
    staff.look("code-wrong")
    TOTPDevice.objects.update(throttling_failure_count=0)
    enter_code(staff, f"{totp(key, drift=1):06}", "Log in")
    assert staff.page.url == f"{staff.url}/admin/"
    user = User.objects.get()
    staff.open(f"/admin/auth/user/{user.pk}/change/")
    staff.look("user")


def enter_code(staff, code, button):
    staff.page.fill("#id_code", code)
    staff.press(button)
