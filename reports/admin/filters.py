from django.contrib import admin

from marketplace.adminsite.filters import ChoiceFilter
from reports.models import Case


class QueueFilter(admin.SimpleListFilter):
    """Open cases or reports, unless you choose another state."""

    title = parameter_name = "state"

    def lookups(self, request, model_admin):
        return [("resolved", "resolved"), ("all", "all")]

    def choices(self, changelist):
        waiting, *others = super().choices(changelist)
        return [waiting | {"display": "open"}, *others]

    def queryset(self, request, queryset):
        if self.value() == "all":
            return queryset
        if self.value() == "resolved":
            return queryset.filter(resolved_at__isnull=False)
        return queryset.open()


class KindFilter(ChoiceFilter):
    title = parameter_name = "kind"
    options = {
        kind: (f"{kind}s", lambda cases, kind=kind: cases.exclude(**{kind: None}))
        for kind in Case.KINDS
    }
