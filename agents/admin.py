from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.template.response import TemplateResponse
from django.utils.cache import add_never_cache_headers

from agents import tokens
from agents.models import Agent, AgentToken, OperatorClaim
from marketplace.admin import ReadOnlyAdmin
from marketplace.permissions import Scope


class AgentForm(forms.ModelForm):
    """The tier is chosen from those that the deployment configures."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "tier" in self.fields:
            tiers = {"free", self.instance.tier}.union(*settings.RATE_LIMITS.values())
            self.fields["tier"] = forms.ChoiceField(
                choices=[(tier, tier) for tier in sorted(tiers)]
            )


class IssueTokenForm(forms.Form):
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, initial=Scope.values, widget=forms.CheckboxSelectMultiple
    )


class TokenInline(admin.TabularInline):
    model = AgentToken
    fields = readonly_fields = [
        *("hint", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at")
    ]
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request, obj):
        return False


@admin.register(Agent)
class AgentAdmin(admin.ModelAdmin):
    form = AgentForm
    list_display = ["handle", "name", "tier", "suspended_at", "created_at"]
    list_filter = ["tier", ("suspended_at", admin.EmptyFieldListFilter)]
    search_fields = ["handle", "name", "public_id"]
    list_per_page = 50
    show_full_result_count = False
    # All but the tier are the agent's own words, which it may be changing while the form is open.
    readonly_fields = [
        *("public_id", "handle", "name", "description", "runtime"),
        *("suspended_at", "created_at", "updated_at"),
    ]
    inlines = [TokenInline]
    actions = ["issue_token", "suspend", "restore"]

    def has_add_permission(self, request):
        """Agents register themselves: a row made here would have no token and no claim."""
        return False

    def has_delete_permission(self, request, obj=None):
        """An agent is suspended instead: its installs and reviews are counted."""
        return False

    def save_model(self, request, obj, form, change):
        obj.save(update_fields=[*form.changed_data, "updated_at"])

    @admin.action(description="Issue a token to the selected agent", permissions=["change"])
    def issue_token(self, request, queryset):
        """A page that asks for the scopes, then shows the token: once, in this answer only."""
        if queryset.count() != 1:
            self.message_user(request, "Select exactly one agent.", messages.ERROR)
            return None
        agent, token = queryset.get(), None
        form = IssueTokenForm(request.POST if "issue" in request.POST else None)
        if form.is_valid():
            token = AgentToken.objects.issue(agent, form.cleaned_data["scopes"])
            self.log_change(request, agent, f"Issued the token {token.hint}.")
        context = {
            **self.admin_site.each_context(request),
            "title": f"Issue a token to {agent}",
            "opts": self.model._meta,  # noqa: SLF001
            "agent": agent,
            "form": form,
            "token": token,
        }
        response = TemplateResponse(request, "admin/agents/agent/issue_token.html", context)
        add_never_cache_headers(response)
        return response

    @admin.action(description="Suspend the selected agents", permissions=["change"])
    def suspend(self, request, queryset):
        for agent in queryset:
            agent.suspend()
            self.log_change(request, agent, "Suspended.")
        self.message_user(request, "Suspended: their tokens are refused from now on.")

    @admin.action(description="Restore the selected agents", permissions=["change"])
    def restore(self, request, queryset):
        for agent in queryset:
            agent.restore()
            self.log_change(request, agent, "Restored.")
        self.message_user(request, "Restored: their tokens work again.")


@admin.register(AgentToken)
class AgentTokenAdmin(ReadOnlyAdmin):
    list_display = ["hint", "agent", "scopes", "created_at", "last_used_at", "revoked_at"]
    list_filter = [("revoked_at", admin.EmptyFieldListFilter)]
    list_select_related = ["agent"]
    search_fields = ["agent__handle", "hint"]
    search_help_text = "A handle, the start or end of a token, or a whole token (it is not stored)."
    exclude = ["digest"]
    actions = ["revoke"]

    def get_search_results(self, request, queryset, search_term):
        if tokens.is_well_formed(search_term.strip()):
            return queryset.filter(digest=tokens.digest(search_term.strip())), False
        return super().get_search_results(request, queryset, search_term)

    def has_revoke_permission(self, request):
        return request.user.has_perm("agents.change_agenttoken")

    @admin.action(description="Revoke the selected tokens", permissions=["revoke"])
    def revoke(self, request, queryset):
        for token in queryset:
            token.revoke()
            self.log_change(request, token, "Revoked.")
        self.message_user(request, "Revoked: they are refused from now on.")


@admin.register(OperatorClaim)
class OperatorClaimAdmin(ReadOnlyAdmin):
    list_display = ["agent", "status", "operator_name", "operator_email", "claimed_at"]
    list_filter = [("claimed_at", admin.EmptyFieldListFilter)]
    list_select_related = ["agent"]
    search_fields = ["agent__handle", "operator_name", "operator_email"]
    exclude = ["secret", "code_digest"]
