from django.contrib.admin import AdminSite, ModelAdmin
from django.template.response import TemplateResponse

from marketplace.client_address import client_address
from marketplace.ratelimits import count


class MarketplaceAdminSite(AdminSite):
    site_header = site_title = "Marketplace"
    site_url = None

    def login(self, request, extra_context=None):
        """Django's log-in, with its attempts limited by user name and address together.

        Every attempt counts, before the password is looked at, so that a parallel guess is
        counted too.
        """
        if request.method == "POST":
            user = request.POST.get("username", "").strip().lower()[:150]
            usage = count(request, "login", caller=f"{client_address(request)} {user}")
            if usage.is_exceeded:
                return TemplateResponse(
                    request,
                    "admin/too_many_logins.html",
                    {**self.each_context(request), "minutes": -(-usage.seconds // 60)},
                    status=429,
                    headers={"Retry-After": str(usage.seconds)},
                )
        return super().login(request, extra_context)


class ReadOnlyAdmin(ModelAdmin):
    """Rows that only the API writes: staff look, and act through actions."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
