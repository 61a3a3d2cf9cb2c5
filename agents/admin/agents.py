from django.contrib import admin, messages
from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import localize
from django.utils.html import format_html

from agents import tokens
from agents.admin.filters import PausedFilter, SuspendedFilter, TierFilter
from agents.admin.forms import AgentForm, IssueTokenForm
from agents.admin.releasing import ReleaseClaimsMixin
from agents.admin.search import TokenSearchMixin
from agents.admin.suspending import SuspendAgentsMixin
from agents.models import Agent, AgentToken
from marketplace.adminsite.actions import confirmed_action, offered_to
from marketplace.adminsite.base import MenuItem, StaffModelAdmin, link_to
from marketplace.adminsite.history_pages import HistoryMixin
from marketplace.adminsite.panels import panel, table


def operator_of(_admin, request, agent):
    """Its operator, for the page of the agent."""
    key = agent.claim.key
    return {
        "claim": agent.claim,
        "operator_link": link_to(request, "agents.operatorkey", key.pk) if key else "",
    }


def tokens_panel(_admin, request, agent):
    return own_panel(request, "Tokens", agent, agent.tokens.with_state(), token_line)


def refusals_panel(_admin, _request, agent):
    return table(
        "Refused in the last 24 hours",
        ["Status", "Text", "Times", "Last"],
        agent.refusals.current(),
        lambda refusal: (
            str(refusal.status),
            refusal.text,
            f"{refusal.number:,}",
            f"{refusal.last_at:%d %b %Y, %H:%M}",
        ),
    )


def reviews_panel(_admin, request, agent):
    reviews = agent.reviews.select_related("persona").only(
        *("rating", "hidden_at", "deleted_at", "agent_id", "persona_id", "persona__slug")
    )
    return own_panel(request, "Reviews", agent, reviews, review_line)


def own_panel(request, title, agent, rows, line):
    options = rows.model._meta
    changelist = f"admin:{options.app_label}_{options.model_name}_changelist"
    return panel(
        title,
        rows,
        lambda row: (*line(row), link_to(request, options.label_lower, row.pk)),
        reverse(changelist) + f"?agent__id__exact={agent.pk}",
    )


def token_line(token):
    name = f"{token.name}: " if token.name else ""
    is_ending = token.state == "usable" and token.expires_at
    until = f", until {token.expires_at:%d %b %Y, %H:%M}" if is_ending else ""
    return token.hint, f"{name}{', '.join(token.scopes)}; {token.state}{until}"


def review_line(review):
    return review.persona.slug, f"{review.rating}, {review.state}"


@admin.register(Agent)
class AgentAdmin(
    HistoryMixin, SuspendAgentsMixin, ReleaseClaimsMixin, TokenSearchMixin, StaffModelAdmin
):
    menu = MenuItem("Agents", 20, "smart_toy")
    form = AgentForm
    list_display = ["handle", "name", "tier", "state", "last_seen", "created_at"]
    sortable_by = ["handle", "created_at"]
    list_filter = [TierFilter, SuspendedFilter, PausedFilter]
    search_fields = ["handle"]  # see `find`
    search_help_text = "A word of the handle or name, agentId or token"
    # Only the tier is for staff: the agent may change the others while the form is open.
    readonly_fields = [
        *("public_id", "handle", "name", "description", "runtime"),
        *(
            "suspended_at",
            "suspension_reason",
            "deleted_at",
            "invitation",
            "created_at",
            "updated_at",
            "last_seen",
        ),
    ]
    fields = [*readonly_fields[:5], "tier", *readonly_fields[5:]]
    recorded_fields = ["tier"]
    actions = ["issue_token", "suspend", "restore", "release_claim"]
    counted_by_day = "created_at"
    in_totals = True
    change_form_template = "admin/agents/agent/change_form.html"
    pages = TokenSearchMixin.search_pages
    panels = [refusals_panel, tokens_panel, reviews_panel]
    row_context = [operator_of]

    def has_add_permission(self, request):
        """Agents register themselves: a row added here would have no token and no claim."""
        return False

    def has_delete_permission(self, request, obj=None):
        """Its rows are counted. An app above deletes it without losing them."""
        return False

    def has_erase_permission(self, request):
        return request.user.has_perm("agents.delete_agent")

    def find(self, queryset, term):
        return queryset.named(term) | queryset.filter(public_id=term)

    def state(self, agent):
        label = super().state(agent)
        if agent.state != "paused":
            return label
        since = localize(timezone.localtime(agent.paused_at))
        return format_html(
            '{} <span class="staff-note">by its operator since {}</span>', label, since
        )

    def save_model(self, request, obj, form, change):
        if form.changed_data:
            self.snapshot_before_change(obj)
            obj.change(**{name: getattr(obj, name) for name in form.changed_data})

    def get_queryset(self, request):
        used = AgentToken.objects.filter(agent=OuterRef("pk"), last_used_at__isnull=False)
        newest = used.order_by("-last_used_at").values("last_used_at")[:1]
        agents = super().get_queryset(request).select_related("claim", "invitation")
        return agents.annotate(last_seen=Subquery(newest))

    @admin.display(description="last seen", empty_value="never", ordering="last_seen")
    def last_seen(self, agent):
        """When one of its tokens was last used, to within 15 minutes."""
        return agent.last_seen and localize(timezone.localtime(agent.last_seen))

    @admin.action(description="Issue a token", permissions=["change"])
    @offered_to(lambda agent: agent.deleted_at is None)
    def issue_token(self, request, queryset):
        """A form for scopes and expiry; posted, it leads to the page that shows the token."""
        if queryset.count() != 1:
            self.message_user(request, "Select exactly one agent.", messages.ERROR)
            return None
        agent = queryset.get()
        form = IssueTokenForm(request.POST if "issue" in request.POST else None)
        if form.is_valid():
            with transaction.atomic():
                self.snapshot_before_change(agent)
                token = AgentToken.objects.issue(
                    agent,
                    form.cleaned_data["scopes"],
                    expires_at=tokens.expiry(form.cleaned_data["expires_in_days"]),
                )
                token.take_snapshot(user=request.user, reason="Issued.", kind="+")
                message = f"Issued the token {token.hint}."
                self.log_change(request, agent, message, is_event=True)
            return self.admin_site.get_model_admin(AgentToken).show_issued(request, token)
        title, template = f"Issue a token to {agent}", "admin/agents/agent/issue_token.html"
        return self.page(request, template, title, agent=agent, form=form)

    @admin.action(description="Suspend", permissions=["change"])
    @offered_to(lambda agent: agent.suspended_at is None)
    def suspend(self, request, queryset):
        return self.suspend_agents(request, queryset, queryset)

    @confirmed_action("Restore", text="Their tokens work again.")
    @offered_to(lambda agent: agent.state == "suspended")
    def restore(self, request, queryset):
        self.change_each(
            request, queryset, "Restored.", Agent.restore, then="Their tokens work again."
        )

    @admin.action(description="Release the claim", permissions=["change"])
    @offered_to(lambda agent: agent.deleted_at is None)
    def release_claim(self, request, queryset):
        return self.release_claims(request, queryset, queryset)
