from django.contrib import admin
from django.db.models import Q
from django.db.models.functions import Right

from agents.admin.filters import RevokedFilter
from agents.admin.revoking import revoking
from agents.admin.search import TokenSearchMixin, agents_named
from agents.models import AgentToken
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin
from marketplace.adminsite.history_pages import HistoryMixin
from marketplace.adminsite.issuing import IssuedMixin


@admin.register(AgentToken)
class AgentTokenAdmin(IssuedMixin, HistoryMixin, TokenSearchMixin, ReadOnlyModelAdmin):
    menu = MenuItem("Agents", 21, "key")
    list_display = fields = [
        *("hint", "name", "agent", "scopes", "state", "created_at", "last_used_at", "expires_at"),
        *("revoked_at", "revocation_reason"),
    ]
    list_filter = [RevokedFilter]
    list_select_related = ["agent"]
    search_fields = ["hint"]  # see `find`
    search_help_text = "Agent, start or end of a token, or a whole token"
    actions = ["revoke"]
    pages = [*IssuedMixin.issued_pages, *TokenSearchMixin.search_pages]

    def get_queryset(self, request):
        return super().get_queryset(request).with_state()

    def attention(self):
        leaked = AgentToken.objects.leaked_this_week()
        return [("tokens reported as leaked this week", leaked, "?revoked_at=leaked")]

    def find(self, queryset, term):
        return queryset.annotate(end=Right("hint", 4)).filter(
            Q(hint__startswith=term) | Q(end=term) | Q(agent__in=agents_named(term))
        )

    revoke = revoking(
        "Revoke",
        text="A revoked token never works again. The agent needs another one.",
        then="They no longer work.",
    )
