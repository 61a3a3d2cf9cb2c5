from django.contrib import admin
from django.db.models import Q
from django.db.models.functions import Lower

from agents.admin.filters import ClaimFilter
from agents.admin.search import agents_by_handle
from agents.models import OperatorClaim
from marketplace.adminsite.base import ReadOnlyModelAdmin


@admin.register(OperatorClaim)
class OperatorClaimAdmin(ReadOnlyModelAdmin):
    list_display = fields = ["agent", "status", "operator_name", "operator_email", "claimed_at"]
    list_filter = [ClaimFilter]
    list_select_related = ["agent"]
    ordering = ["-id"]
    search_fields = ["operator_email"]  # see `find`
    search_help_text = "Handle, or the operator's whole e-mail address"

    def find(self, queryset, term):
        if "@" in term:
            return queryset.annotate(email=Lower("operator_email")).filter(
                ~Q(operator_email=""), email=term.lower()
            )
        return queryset.filter(agent__in=agents_by_handle(term))

    def attention(self):
        return [
            (
                "claims that wait for their code",
                OperatorClaim.objects.pending(),
                "?status=pending",
            )
        ]
