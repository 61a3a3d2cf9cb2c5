from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.urls import reverse

from agents.admin.filters import RevokedFilter
from agents.admin.forms import IssueInvitationForm
from agents.admin.revoking import revoking
from agents.admin.search import TokenSearchMixin
from agents.models import Invitation
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin, link_to
from marketplace.adminsite.filters import ChoiceFilter
from marketplace.adminsite.issuing import IssuedMixin
from marketplace.adminsite.panels import panel


class ValidFilter(ChoiceFilter):
    title, parameter_name = "state", "state"
    options = {"valid": ("valid", lambda invitations: invitations.valid())}


def agents_of(_admin, request, invitation):
    def line(agent):
        note = f"{agent.state}, since {agent.created_at:%d %b %Y, %H:%M}"
        return agent, note, link_to(request, "agents.agent", agent.pk)

    agents = f"{reverse('admin:agents_agent_changelist')}?invitation__id__exact={invitation.pk}"
    return panel("Agents", invitation.agents.order_by("-id"), line, agents)


@admin.register(Invitation)
class InvitationAdmin(IssuedMixin, TokenSearchMixin, ReadOnlyModelAdmin):
    """Agents need one to register if REGISTRATION is `invitation` (contract 26)."""

    menu = MenuItem("Agents", 24, "mail")
    list_display = fields = [
        *("hint", "note", "spent", "scopes", "tier", "state", "created_at", "expires_at"),
        *("revoked_at", "revocation_reason"),
    ]
    list_filter = [ValidFilter, RevokedFilter]
    search_fields = ["hint"]  # see `find`
    search_help_text = "Start of an invitation, or all of it"
    actions = ["revoke"]
    pages = [*IssuedMixin.issued_pages, *TokenSearchMixin.search_pages]
    panels = [agents_of]

    def has_add_permission(self, request):
        return self.has_act_permission(request)

    def add_view(self, request, form_url="", extra_context=None):
        """A form for its rights; posted, it leads to the page that shows the invitation."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = IssueInvitationForm(request.POST or None)
        if form.is_valid():
            with transaction.atomic():
                invitation = Invitation.objects.issue(**form.cleaned_data)
                self.log_addition(request, invitation, "Issued.")
            return self.show_issued(request, invitation)
        template, title = "admin/agents/invitation/issue.html", "Issue an invitation"
        return self.page(request, template, title, form=form)

    def spent(self, invitation):
        return f"{invitation.used} of {invitation.uses}"

    def find(self, queryset, term):
        return queryset.filter(hint__startswith=term)

    def attention(self):
        leaked = Invitation.objects.leaked_this_week()
        text = "invitations reported as leaked this week"
        return [(text, leaked, "?revoked_at=leaked")]

    revoke = revoking(
        "Revoke",
        text="Agents can no longer register with it. Agents that have registered are not affected.",
        then="Agents can no longer register with them.",
    )
