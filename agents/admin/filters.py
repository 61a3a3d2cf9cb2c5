from django.conf import settings
from django.contrib import admin


class IsSetFilter(admin.SimpleListFilter):
    """Whether a datetime is set; subclasses name its field."""

    def lookups(self, request, model_admin):
        return [("yes", "yes"), ("no", "no")]

    def queryset(self, request, queryset):
        if self.value() in {"yes", "no"}:
            return queryset.filter(**{f"{self.parameter_name}__isnull": self.value() == "no"})
        return queryset


class SuspendedFilter(IsSetFilter):
    title, parameter_name = "suspended", "suspended_at"


class PausedFilter(IsSetFilter):
    title, parameter_name = "paused", "paused_at"


class RevokedFilter(IsSetFilter):
    title, parameter_name = "revoked", "revoked_at"

    def lookups(self, request, model_admin):
        return [*super().lookups(request, model_admin), ("leaked", "reported as leaked")]

    def queryset(self, request, queryset):
        if self.value() == "leaked":
            return queryset.leaked()
        return super().queryset(request, queryset)


def configured_tiers():
    """The tiers that have a rate limit of their own, and the free one."""
    return {"free"}.union(*settings.RATE_LIMITS.values())


class TierFilter(admin.SimpleListFilter):
    title = parameter_name = "tier"

    def lookups(self, request, model_admin):
        return [(tier, tier) for tier in sorted(configured_tiers())]

    def queryset(self, request, queryset):
        return queryset.filter(tier=self.value()) if self.value() else queryset


class ClaimFilter(admin.SimpleListFilter):
    title = parameter_name = "status"

    def lookups(self, request, model_admin):
        return [("claimed", "claimed"), ("pending", "pending")]

    def queryset(self, request, queryset):
        if self.value() == "claimed":
            return queryset.claimed()
        if self.value() == "pending":
            return queryset.pending()
        return queryset
