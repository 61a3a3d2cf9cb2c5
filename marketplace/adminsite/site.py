from functools import wraps
from http import HTTPStatus
from itertools import groupby

from django.conf import settings
from django.contrib import messages
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.views import csrf

from marketplace.adminsite import second_factor
from marketplace.adminsite.base import StaffModelAdmin
from marketplace.adminsite.dashboard import attention, new_rows, totals
from marketplace.adminsite.failed_logins import limit_failures
from marketplace.adminsite.notes import assigned_to
from marketplace.adminsite.roles import own_role
from marketplace.adminsite.sessions import end_sessions_view, is_of_provider, start_clock
from marketplace.adminsite.theme import AdminSite, AuthenticationForm


class LogInForm(AuthenticationForm):
    """Also tells of a right password that opens nothing, which Django does not."""

    def confirm_login_allowed(self, user):
        try:
            super().confirm_login_allowed(user)
        except ValidationError:
            credentials = {"username": user.get_username()}
            user_login_failed.send(__name__, credentials=credentials, request=self.request)
            raise


def csrf_failure(request, reason=""):
    """Django's page, for staff in the admin's frame."""
    if not (request.path.startswith(reverse("admin:index")) and site.has_permission(request)):
        return csrf.csrf_failure(request, reason)
    context = {**site.each_context(request), "title": "We could not verify this form"}
    return TemplateResponse(request, "admin/403_csrf.html", context, status=HTTPStatus.FORBIDDEN)


def account_links(request):
    """The menu of the user."""
    of_passwords = [
        {"title": "Change password", "link": reverse("admin:password_change")},
        {"title": "Second factor", "link": reverse("admin:second_factor")},
    ]
    return [
        *([] if is_of_provider(request) else of_passwords),
        {"title": "End all sessions", "link": reverse("admin:end_sessions")},
    ]


class MarketplaceAdminSite(AdminSite):
    login_form = LogInForm
    index_title = "Dashboard"
    index_template = "admin/dashboard.html"

    def get_urls(self):
        return [
            path("second-factor/", self.second_factor, name="second_factor"),
            path(
                "second-factor/recovery-codes/",
                self.admin_view(self.recovery_codes),
                name="recovery_codes",
            ),
            path("end-sessions/", self.admin_view(self.end_sessions), name="end_sessions"),
            # Django's own is closed to anybody who has not entered a code yet.
            path("logout/", self.logout, name="logout"),
            *super().get_urls(),
        ]

    def admin_view(self, view, cacheable=False):  # noqa: FBT002 (as Django has it)
        """Django's, which shows a 403 in the admin's frame."""

        @wraps(view)
        def framed(request, *args, **captured):
            try:
                return view(request, *args, **captured)
            except PermissionDenied:
                return self.refuse(request)

        return super().admin_view(framed, cacheable)

    def refuse(self, request):
        title = "Your role does not allow this"
        context = {**self.each_context(request), "title": title, "role": own_role(request.user)}
        status = HTTPStatus.FORBIDDEN
        return TemplateResponse(request, "admin/403.html", context, status=status)

    def has_permission(self, request):
        return super().has_permission(request) and second_factor.is_passed(request)

    @limit_failures(lambda request: request.POST.get("username", ""))
    def login(self, request, extra_context=None):
        if request.method == "GET" and super().has_permission(request):
            address = request.GET.get("next") or reverse("admin:index")
            return redirect_to_login(address, reverse("admin:second_factor"))
        context = {
            # A link on another site, to which a browser sends no strict cookie.
            "is_from_elsewhere": request.headers.get("Sec-Fetch-Site") == "cross-site",
            "has_provider": bool(settings.OIDC_ISSUER),
            "has_passwords": not settings.OIDC_ONLY,
        }
        response = super().login(request, context | (extra_context or {}))
        if request.method == "POST" and response.status_code == HTTPStatus.FOUND:
            start_clock(request.session)
        return response

    # The name of the user who has sent the right password, whatever the request says.
    @limit_failures(lambda request: request.user.get_username())
    def second_factor(self, request, extra_context=None):
        return second_factor.SecondFactorPage.as_view(site=self)(request)

    def recovery_codes(self, request):
        return second_factor.recovery_codes_view(self, request)

    def password_change(self, request, extra_context=None):
        if is_of_provider(request):
            messages.info(request, "Your company account has its own password.")
            return redirect("admin:index")
        with transaction.atomic():
            response = super().password_change(request, extra_context)
            if request.method == "POST" and response.status_code == HTTPStatus.FOUND:
                users = self.get_model_admin(User)
                users.log_change(request, request.user, "Changed their own password.")
        return response

    def end_sessions(self, request):
        return end_sessions_view(self, request)

    def search(self, request, extra_context=None):
        """The index of the app `search`. It replaces the theme's search, which has the same
        address and would read the whole tables of all models.
        """
        return self.app_index(request, "search", extra_context)

    def each_context(self, request):
        # The theme writes its colours into the page, which the Content-Security-Policy refuses;
        # ours are in admin.css.
        return super().each_context(request) | {"colors": {}}

    def get_app_list(self, request, app_label=None):
        """Django's, made once per request: the menu and the page's context both need it."""
        if app_label:
            return super().get_app_list(request, app_label)
        if not hasattr(request, "app_list"):
            request.app_list = super().get_app_list(request)
        return request.app_list

    def get_sidebar_list(self, request):
        """The menu, with the pages that this person may open."""
        entries = [
            (self._registry[model["model"]].menu, model)
            for app in self.get_app_list(request)
            for model in app["models"]
            if model["admin_url"]
        ]
        if not entries:
            return []
        entries.sort(key=lambda entry: entry[0].order)
        dashboard = {"title": "Dashboard", "icon": "home", "link": f"/{self.name}/"}
        groups = [{"items": [dashboard]}]
        groups += [
            {
                "title": section,
                "items": [
                    {"title": model["name"], "icon": item.icon, "link": model["admin_url"]}
                    for item, model in section_entries
                ],
            }
            for section, section_entries in groupby(entries, key=lambda entry: entry[0].section)
        ]
        return [
            {**group, "items": self._get_navigation_items(request, group["items"])}
            for group in groups
        ]

    def index(self, request, extra_context=None):
        """The dashboard, with the models that this person may see."""
        admins = [
            model_admin
            for model_admin in self._registry.values()
            if isinstance(model_admin, StaffModelAdmin) and model_admin.has_view_permission(request)
        ]
        context = {
            "days": new_rows(admins),
            "totals": totals(admins),
            "attention": attention(admins),
            "role": own_role(request.user),
            "rankings": [
                *assigned_to(request),
                *(ranking for admin in admins for ranking in admin.rankings(request)),
            ],
        }
        return super().index(request, context | (extra_context or {}))
