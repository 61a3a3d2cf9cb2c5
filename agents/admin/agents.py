from django.contrib import admin, messages
from django.db.models import Q
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.cache import add_never_cache_headers

from agents import tokens
from agents.admin.filters import SuspendedFilter, TierFilter
from agents.admin.forms import AgentForm, IssueTokenForm
from agents.admin.search import TokenSearchMixin
from agents.admin.suspending import SuspendAgentsMixin
from agents.models import Agent, AgentToken
from marketplace.adminsite.base import StaffModelAdmin, state_label

NEWEST = 10  # rows of each kind that an agent's page shows


@admin.register(Agent)
class AgentAdmin(SuspendAgentsMixin, TokenSearchMixin, StaffModelAdmin):
    form = AgentForm
    list_display = ["handle", "name", "tier", "state", "created_at"]
    list_filter = [TierFilter, SuspendedFilter]
    search_fields = ["handle"]  # see `find`
    search_help_text = "Handle, name, agentId or token"
    # All but the tier are the agent's own words, which it may change while the form is open.
    readonly_fields = [
        *("public_id", "handle", "name", "description", "runtime"),
        *("suspended_at", "suspension_reason", "created_at", "updated_at"),
    ]
    fields = [*readonly_fields[:5], "tier", *readonly_fields[5:]]
    actions = ["issue_token", "suspend", "restore", "release_claim"]
    counted_by_day = ("Agents", "created_at")
    in_totals = True
    change_form_template = "admin/agents/agent/change_form.html"

    def has_add_permission(self, request):
        """Agents register themselves: a row added here would have no token and no claim."""
        return False

    def has_delete_permission(self, request, obj=None):
        """An agent is suspended instead: its installs and reviews are counted."""
        return False

    def find(self, queryset, term):
        return queryset.filter(
            Q(handle__startswith=term.lower()) | Q(public_id=term) | Q(name__istartswith=term)
        )

    @admin.display(description="state")
    def state(self, agent):
        return state_label("suspended" if agent.suspended_at else "active")

    def save_model(self, request, obj, form, change):
        self.snapshot_before_change(obj)
        obj.save(update_fields=[*form.changed_data, "updated_at"])

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("claim")

    def row_context(self, request, row):
        return {"panels": panels(row), "claim": row.claim}

    def is_offered(self, action, row):
        return {
            "suspend": row.suspended_at is None,
            "restore": row.suspended_at is not None,
            "release_claim": row.claim.status != "unclaimed",
        }.get(action, True)

    @admin.action(description="Issue a token", permissions=["change"])
    def issue_token(self, request, queryset):
        """A form for scopes and expiry; posted, the one page that shows the token."""
        if queryset.count() != 1:
            self.message_user(request, "Select exactly one agent.", messages.ERROR)
            return None
        agent, token = queryset.get(), None
        form = IssueTokenForm(request.POST if "issue" in request.POST else None)
        if form.is_valid():
            token = AgentToken.objects.issue(
                agent,
                form.cleaned_data["scopes"],
                expires_at=tokens.expiry(form.cleaned_data["expires_in_days"]),
            )
            token.take_snapshot(user=request.user, reason="Issued.", kind="+")
            self.log_change(request, agent, f"Issued the token {token.hint}.")
        context = {
            **self.admin_site.each_context(request),
            "title": f"Issue a token to {agent}",
            "opts": self.opts,
            "agent": agent,
            "form": form,
            "token": token,
        }
        response = TemplateResponse(request, "admin/agents/agent/issue_token.html", context)
        add_never_cache_headers(response)
        return response

    @admin.action(description="Suspend", permissions=["change"])
    def suspend(self, request, queryset):
        return self.suspend_agents(request, queryset, queryset)

    @admin.action(description="Restore", permissions=["change"])
    def restore(self, request, queryset):
        if not self.is_confirmed(request):
            return self.confirm(request, queryset, "restore", text="Their tokens work again.")
        self.change_each(request, queryset, "Restored.", Agent.restore)
        self.message_user(request, "Restored: their tokens work again.")
        return None

    @admin.action(description="Release the claim", permissions=["change"])
    def release_claim(self, request, queryset):
        queryset = queryset.order_by("pk")
        if not self.is_confirmed(request):
            return self.confirm(
                request,
                queryset,
                "release_claim",
                danger=True,
                text="The operator is forgotten. The agent finds a new claim URL in its profile; "
                "the old one leads nowhere.",
                facts=[(agent, agent.claim.operator_name or "no operator") for agent in queryset],
            )
        for agent in queryset:
            operator = agent.claim.operator_name
            agent.claim.release()
            self.log_change(request, agent, f"Released the claim of {operator or 'no operator'}.")
        self.message_user(request, "Released: a new operator can claim them.")
        return None


def panels(agent):
    """What the agent has: the newest rows of each kind, and a link to all of them."""
    skills = agent.skill_installs.select_related("skill").only(
        "installed_at", "removed_at", "agent_id", "skill_id", "skill__slug"
    )
    personas = agent.persona_installs.select_related("persona").only(
        *("is_active", "installed_at", "removed_at", "agent_id", "persona_id", "persona__slug")
    )
    reviews = agent.reviews.select_related("persona").only(
        *("rating", "hidden_at", "deleted_at", "agent_id", "persona_id", "persona__slug")
    )
    return [
        panel("Tokens", agent, agent.tokens.with_state(), token_line),
        panel("Skills", agent, skills, skill_line),
        panel("Personas", agent, personas, persona_line),
        panel("Reviews", agent, reviews, review_line),
    ]


def panel(title, agent, rows, line):
    """The newest rows of one kind; `line` returns a row's text and a note on it."""
    pages = f"admin:{rows.model._meta.app_label}_{rows.model._meta.model_name}"
    return {
        "title": title,
        "rows": [(*line(row), reverse(f"{pages}_change", args=[row.pk])) for row in rows[:NEWEST]],
        "all": reverse(f"{pages}_changelist") + f"?agent__id__exact={agent.pk}",
    }


def token_line(token):
    name = f"{token.name}: " if token.name else ""
    is_ending = token.state == "usable" and token.expires_at
    until = f", until {token.expires_at:%d %b %Y, %H:%M}" if is_ending else ""
    return token.hint, f"{name}{', '.join(token.scopes)}; {token.state}{until}"


def skill_line(install):
    return install.skill.slug, install_note(install)


def persona_line(install):
    return install.persona.slug, install_note(install) + (", active" if install.is_active else "")


def install_note(install):
    removed = f", until {install.removed_at:%d %b %Y, %H:%M}" if install.removed_at else ""
    return f"{install.installed_at:%d %b %Y, %H:%M}{removed}"


def review_line(review):
    return review.persona.slug, f"{review.rating}, {review.state}"
