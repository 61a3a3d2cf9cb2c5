from django.contrib import admin
from django.urls import reverse

from agents.admin.filters import ClaimFilter
from agents.admin.search import TokenSearchMixin, find_claims
from agents.models import Agent, OperatorClaim
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin
from marketplace.adminsite.dashboard import Number, sizes


@admin.register(OperatorClaim)
class OperatorClaimAdmin(TokenSearchMixin, ReadOnlyModelAdmin):
    menu = MenuItem("Agents", 23, "badge")
    list_display = fields = ["agent", "status", "operator_name", "address", "claimed_at"]
    list_filter = [ClaimFilter]
    list_select_related = ["agent"]
    ordering = ["-id"]
    search_fields = ["operator_email"]  # see `find`
    pages = TokenSearchMixin.search_pages
    search_help_text = "A word of the agent's or the operator's name, or a whole e-mail address"

    @admin.display(description="operator email")
    def address(self, claim):
        return f"{claim.operator_email} (not verified)" if claim.operator_email else ""

    def find(self, queryset, term):
        return find_claims(queryset, term)

    def rankings(self, request):
        """How many agents have requested a code, and how many are claimed."""
        claims = OperatorClaim.objects
        agents, with_email, pending = sizes(
            [Agent.objects.all(), claims.exclude(operator_email=""), claims.pending()],
            # Each partial index holds the rows of its query.
            [Agent._meta.db_table, "claim_email", "claim_pending"],
        )
        claimed = Number(max(with_email.value - pending.value, 0), with_email.is_estimate)
        url = self.url_of("changelist")
        return [
            {
                "title": "From registration to claim",
                "note": "percentages are of all agents",
                "rows": [
                    ("Registered", agents, reverse("admin:agents_agent_changelist")),
                    ("Requested a code", with_email.share_of(agents), url),
                    ("Waiting for the agent", pending.share_of(agents), f"{url}?status=pending"),
                    ("Claimed", claimed.share_of(agents), f"{url}?status=claimed"),
                ],
            }
        ]

    def attention(self):
        pending = OperatorClaim.objects.pending()
        return [("claims that agents have not confirmed", pending, "?status=pending")]
