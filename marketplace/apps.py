from django.apps import AppConfig
from django.contrib.admin import apps


class MarketplaceConfig(AppConfig):
    name = "marketplace"
    default = True


class AdminConfig(apps.AdminConfig):
    default = False
    default_site = "marketplace.sites.MarketplaceAdminSite"
