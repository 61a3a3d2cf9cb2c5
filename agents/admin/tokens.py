from django.contrib import admin
from django.db.models import Q
from django.db.models.functions import Right

from agents.admin.filters import RevokedFilter
from agents.admin.search import TokenSearchMixin, agents_by_handle
from agents.models import AgentToken
from marketplace.adminsite.base import ReadOnlyModelAdmin


@admin.register(AgentToken)
class AgentTokenAdmin(TokenSearchMixin, ReadOnlyModelAdmin):
    list_display = fields = [
        *("hint", "agent", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at")
    ]
    list_filter = [RevokedFilter]
    list_select_related = ["agent"]
    search_fields = ["hint"]  # see `find`
    search_help_text = "Handle, start or end of a token, whole token"
    actions = ["revoke"]

    def find(self, queryset, term):
        return queryset.annotate(end=Right("hint", 4)).filter(
            Q(hint__startswith=term) | Q(end=term) | Q(agent__in=agents_by_handle(term))
        )

    def is_offered(self, action, row):
        return row.revoked_at is None

    def has_revoke_permission(self, request):
        return request.user.has_perm("agents.change_agenttoken")

    @admin.action(description="Revoke", permissions=["revoke"])
    def revoke(self, request, queryset):
        if not self.is_confirmed(request):
            return self.confirm(
                request,
                queryset,
                "revoke",
                danger=True,
                text="A revoked token is refused for good. The agent needs another one.",
            )
        self.change_each(request, queryset, "Revoked.", AgentToken.revoke)
        self.message_user(request, "Revoked: they are refused from now on.")
        return None
