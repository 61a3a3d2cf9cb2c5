"""The second factor of staff: a code from an authenticator app (TOTP), stored by django-otp.

A recovery code (marketplace/models.py) does, once, what a code of the app does.
"""

from base64 import b32encode
from http import HTTPStatus
from math import ceil

import django_otp
import segno
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.views import RedirectURLMixin, redirect_to_login
from django.db import transaction
from django.dispatch import Signal
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView
from django_otp import DEVICE_ID_SESSION_KEY
from django_otp.models import Device
from django_otp.plugins.otp_totp.models import TOTPDevice, default_key

from marketplace.adminsite import theme
from marketplace.adminsite.sessions import is_of_provider
from marketplace.models import RecoveryCode
from marketplace.shown_once import redirect_to_show, shown_once

passed = Signal()  # with the `user` who has logged in with a right code
NEW_KEY = "second_factor_key"  # in the session, until a code confirms it


def is_required_of(user):
    """Whether the setting demands a second factor of the user."""
    return settings.SECOND_FACTOR == "staff" or (
        settings.SECOND_FACTOR == "superusers" and user.is_superuser
    )


def device_of(user):
    """The user's second factor, or None; read once per request."""
    if not hasattr(user, "second_factor"):
        user.second_factor = TOTPDevice.objects.filter(user=user, confirmed=True).first()
    return user.second_factor


def is_passed(request):
    """Whether this session needs no code, or has passed with one.

    Removing a factor ends the sessions that passed with it. A session of the identity provider
    needs none, because the provider has asked for its own (contract 32.11).
    """
    if is_of_provider(request):
        return True
    device, passed_with = device_of(request.user), request.session.get(DEVICE_ID_SESSION_KEY)
    if device is None:
        return passed_with is None and not is_required_of(request.user)
    return passed_with == device.persistent_id


def seconds_until_allowed(device):
    """0, or how long it refuses every code, because the last one was wrong."""
    is_allowed, reason = device.verify_is_allowed()
    if is_allowed:
        return 0
    return max(ceil((reason["locked_until"] - timezone.now()).total_seconds()), 1)


def set_up(user, key, code):
    """Store the key as the user's second factor if the code proves that the app has it."""
    with transaction.atomic():
        # Two browsers of one user take turns, so that a user has one factor.
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if TOTPDevice.objects.filter(user=user, confirmed=True).exists():
            return None
        device = TOTPDevice(user=user, name="Authenticator app", key=key)
        is_right = device.verify_token(code)
        # The library also stores a device whose code was wrong.
        transaction.set_rollback(not is_right)
    return device if is_right else None


def verified(device, code):
    """The device if the code is right, else None. A right one is used up, whichever it is.

    Wrong recovery codes count as wrong codes of the app: the next one has to wait.
    """
    if len(code) != RecoveryCode.LENGTH:
        return django_otp.verify_token(device.user, device.persistent_id, code)
    with transaction.atomic():
        device = Device.from_persistent_id(device.persistent_id, for_verify=True)  # locked
        if device is None or seconds_until_allowed(device):
            return None
        if RecoveryCode.objects.spend(device, code):
            device.throttle_reset()
            return device
        device.throttle_increment()
    return None


def remove(user):
    """Remove the user's second factor, and end the sessions that have passed with it."""
    TOTPDevice.objects.filter(user=user).delete()


class CodeForm(forms.Form):
    code = forms.CharField(
        max_length=2 * RecoveryCode.LENGTH,
        widget=theme.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}
        ),
    )

    def clean_code(self):
        return self.cleaned_data["code"].replace(" ", "").replace("-", "")


class SecondFactorPage(RedirectURLMixin, FormView):
    """Asks for a code: the second step of the log-in, or the end of setting up a factor.

    A code also makes new recovery codes or removes the factor, so that somebody who has lost the
    phone needs one recovery code and nobody else.
    """

    site = None
    form_class = CodeForm
    template_name = "admin/second_factor.html"
    next_page = "admin:index"

    @method_decorator([never_cache, sensitive_post_parameters()])
    def dispatch(self, request):
        is_led_here = request.method == "GET" and self.redirect_field_name in request.GET
        if is_of_provider(request) and not is_led_here:
            messages.info(request, "Your company account asks for its own second factor.")
            return redirect("admin:index")
        if request.user.is_staff:
            self.device, self.is_passed = device_of(request.user), is_passed(request)
            if self.is_passed or DEVICE_ID_SESSION_KEY not in request.session:
                return super().dispatch(request)
            logout(request)  # The factor that this session has passed with was removed.
        address = request.GET.get(self.redirect_field_name, request.path)
        return redirect_to_login(address, reverse("admin:login"))

    def get(self, request):
        if self.is_passed and self.redirect_field_name in request.GET:
            return redirect(self.get_success_url())  # The log-in leads everyone here.
        return super().get(request)

    @transaction.atomic
    def form_valid(self, form):
        code = form.cleaned_data["code"]
        if self.device is None:
            device, act = set_up(self.request.user, self.new_key, code), self.set_up
        elif seconds := seconds_until_allowed(self.device):
            return self.too_soon(form, seconds)
        else:
            device, act = verified(self.device, code), self.acts.get(self.request.POST.get("do"))
        if device is None:
            credentials = {"username": self.request.user.get_username()}
            user_login_failed.send(__name__, credentials=credentials, request=self.request)
            form.add_error("code", self.refusal)
            return self.form_invalid(form)
        self.request.session.cycle_key()
        return (act or self.log_in)(device, is_recovery=len(code) == RecoveryCode.LENGTH)

    # After a right code

    @property
    def acts(self):
        """By the name of their button; without one, the code logs in."""
        return {"renew": self.renew_codes, "remove": self.remove}

    def log_in(self, device, *, is_recovery):
        django_otp.login(self.request, device)
        passed.send(__name__, user=self.request.user)
        if is_recovery:
            left = device.recovery_codes.count()
            self.log(f"Logged in with a recovery code; {left} left.")
            messages.warning(self.request, f"You used a recovery code. You have {left} left.")
        return redirect(self.get_success_url())

    def set_up(self, device, **_):
        del self.request.session[NEW_KEY]
        self.log("Set up a second factor.")
        messages.success(self.request, "Each log-in now asks for a code.")
        return self.show_new_codes(device)

    def renew_codes(self, device, **_):
        self.log("Made new recovery codes.")
        return self.show_new_codes(device)

    def remove(self, device, **_):
        """Afterwards this session is as after the password: it may set up a factor anew."""
        remove(self.request.user)
        self.request.session.pop(DEVICE_ID_SESSION_KEY, None)
        self.log("Removed the second factor with a code.")
        messages.success(self.request, "Your second factor is removed.")
        return redirect("admin:second_factor")

    def show_new_codes(self, device):
        django_otp.login(self.request, device)
        return redirect_to_show(
            reverse("admin:recovery_codes"),
            codes=RecoveryCode.objects.renew(device),
            user=device.user_id,
            next=self.get_success_url(),
        )

    def log(self, message):
        user = self.request.user
        self.site.get_model_admin(User).log_change(self.request, user, message)

    # After a wrong code

    def too_soon(self, form, seconds):
        """Refuse a code unchecked. It may be right, so it does not count as a wrong one."""
        form.add_error("code", "Too soon after a wrong code. Wait a moment, then try again.")
        return self.render_to_response(
            self.get_context_data(form=form),
            status=HTTPStatus.TOO_MANY_REQUESTS,
            headers={"Retry-After": str(seconds)},
        )

    @property
    def refusal(self):
        if self.device:
            return "Wrong or used. Wait for the next code, and enter that one."
        return "Wrong code. Check the clock of your phone."

    @property
    def new_key(self):
        return self.request.session.setdefault(NEW_KEY, default_key())

    def get_context_data(self, **context):
        context |= self.site.each_context(self.request) | {
            "device": self.device,
            "is_passed": self.is_passed,
            "title": "Second factor",
        }
        if self.device is None:
            new = TOTPDevice(user=self.request.user, key=self.new_key)
            context |= {
                "address": new.config_url,
                "qr_code": segno.make(new.config_url).svg_data_uri(scale=4, light="#fff"),
                "secret": b32encode(new.bin_key).decode(),
            }
        elif self.is_passed:
            context["codes_left"] = self.device.recovery_codes.count()
        return super().get_context_data(**context)


def recovery_codes_view(site, request):
    """Shows new recovery codes to the person who has just got them."""
    issued = shown_once(request)
    if issued.get("user") != request.user.pk:
        return redirect("admin:second_factor")
    context = {
        **site.each_context(request),
        "title": "Recovery codes",
        "codes": [in_groups(code) for code in issued["codes"]],
        "next": issued["next"],
    }
    return TemplateResponse(request, "admin/recovery_codes.html", context)


def in_groups(code):
    """12345-67890-12345-67890, which people copy with fewer mistakes."""
    return "-".join(code[start : start + 5] for start in range(0, len(code), 5))
