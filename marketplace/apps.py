from django.apps import AppConfig
from django.contrib.admin import apps


class MarketplaceConfig(AppConfig):
    name = "marketplace"
    default = True

    def ready(self):
        from marketplace import checks  # noqa: F401, PLC0415


class AdminConfig(apps.AdminConfig):
    default = False
    default_site = "marketplace.adminsite.site.MarketplaceAdminSite"
