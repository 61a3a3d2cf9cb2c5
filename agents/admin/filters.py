from django.conf import settings
from django.contrib import admin

from marketplace.adminsite.filters import ChoiceFilter, is_set
from marketplace.ratelimits.rates import FREE_TIER


class SuspendedFilter(ChoiceFilter):
    title, parameter_name = "suspended", "suspended_at"
    options = is_set("suspended_at")


class PausedFilter(ChoiceFilter):
    title, parameter_name = "paused", "paused_at"
    options = is_set("paused_at")


class RevokedFilter(ChoiceFilter):
    title, parameter_name = "revoked", "revoked_at"
    options = is_set("revoked_at") | {
        "leaked": ("reported as leaked", lambda rows: rows.leaked()),
    }


def configured_tiers():
    """The tiers that have a rate limit of their own, and the free one."""
    return {FREE_TIER}.union(*settings.RATE_LIMITS.values())


class TierFilter(admin.SimpleListFilter):
    title = parameter_name = "tier"

    def lookups(self, request, model_admin):
        return [(tier, tier) for tier in sorted(configured_tiers())]

    def queryset(self, request, queryset):
        return queryset.filter(tier=self.value()) if self.value() else queryset


class ClaimFilter(ChoiceFilter):
    title = parameter_name = "status"
    options = {
        "claimed": ("claimed", lambda claims: claims.claimed()),
        "pending": ("pending", lambda claims: claims.pending()),
    }
