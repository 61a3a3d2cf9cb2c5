from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.db.models.functions import Lower, Right
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.cache import add_never_cache_headers
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from agents import tokens
from agents.models import Agent, AgentToken, OperatorClaim
from marketplace.adminsite import theme
from marketplace.adminsite.base import ReadOnlyModelAdmin, ReasonForm, StaffModelAdmin
from marketplace.api.permissions import Scope

MAX_FOUND = 100  # agents of which a search shows tokens and claims
NEWEST = 10  # rows of each kind that an agent's page shows


class AgentForm(forms.ModelForm):
    """The tier is chosen from those that the deployment configures."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "tier" in self.fields:
            tiers = {"free", self.instance.tier}.union(*settings.RATE_LIMITS.values())
            self.fields["tier"] = forms.ChoiceField(
                choices=[(tier, tier) for tier in sorted(tiers)], widget=theme.Select
            )


class IssueTokenForm(forms.Form):
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, initial=Scope.values, widget=forms.CheckboxSelectMultiple
    )
    expires_in_days = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=tokens.MAX_DAYS,
        help_text="Empty for a token that never expires.",
    )


class IsSetFilter(admin.SimpleListFilter):
    """Whether a moment has come; subclasses name its field."""

    def lookups(self, request, model_admin):
        return [("yes", "yes"), ("no", "no")]

    def queryset(self, request, queryset):
        if self.value() in {"yes", "no"}:
            return queryset.filter(**{f"{self.parameter_name}__isnull": self.value() == "no"})
        return queryset


class SuspendedFilter(IsSetFilter):
    title, parameter_name = "suspended", "suspended_at"


class RevokedFilter(IsSetFilter):
    title, parameter_name = "revoked", "revoked_at"


class TierFilter(admin.SimpleListFilter):
    title = parameter_name = "tier"

    def lookups(self, request, model_admin):
        tiers = {"free"}.union(*settings.RATE_LIMITS.values())
        return [(tier, tier) for tier in sorted(tiers)]

    def queryset(self, request, queryset):
        return queryset.filter(tier=self.value()) if self.value() else queryset


class FindsTokens:
    """A list with a search box into which a whole token may be pasted.

    The box posts, so that no token stands in an address: addresses are kept by browsers and
    written down by proxies.
    """

    searches_by_post = True

    def get_urls(self):
        find = method_decorator([require_POST, sensitive_post_parameters()])(type(self).find_posted)
        name = f"agents_{self.opts.model_name}_find"
        view = self.admin_site.admin_view(lambda request: find(self, request))
        return [path("find/", view, name=name), *super().get_urls()]

    def find_posted(self, request):
        if not self.has_view_permission(request):
            raise PermissionDenied
        term = request.POST.get("q", "").strip()
        if not tokens.is_well_formed(term):
            return redirect(f"{self.list_url()}?{urlencode({'q': term})}")
        token = None
        if self.may_find_tokens(request):
            token = AgentToken.objects.filter(digest=tokens.digest(term)).first()
        if token is None:
            self.message_user(request, "No agent has this token.", messages.WARNING)
            return redirect(self.list_url())
        return redirect("admin:agents_agenttoken_change", token.pk)

    def may_find_tokens(self, request):
        return request.user.has_perm("agents.view_agenttoken")

    def get_search_results(self, request, queryset, search_term):
        if tokens.is_well_formed(search_term.strip()):
            # It came by the address, and must not be worth the habit.
            self.message_user(
                request, "Paste a token into the search box, not into an address.", messages.WARNING
            )
            return queryset.none(), False
        return super().get_search_results(request, queryset, search_term)


def of_agents(term):
    """The first agents whose handle begins with the term.

    Looked up by themselves: as a part of a larger question their index would not be used.
    """
    agents = Agent.objects.filter(handle__startswith=term.lower()).order_by("handle")
    return list(agents.values_list("pk", flat=True)[:MAX_FOUND])


@admin.register(Agent)
class AgentAdmin(FindsTokens, StaffModelAdmin):
    form = AgentForm
    list_display = ["handle", "name", "tier", "state", "created_at"]
    list_filter = [TierFilter, SuspendedFilter]
    search_fields = ["handle"]  # see `find`
    search_help_text = "Handle, name, agentId or token"
    # All but the tier are the agent's own words, which it may be changing while the form is open.
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
        """Agents register themselves: a row made here would have no token and no claim."""
        return False

    def has_delete_permission(self, request, obj=None):
        """An agent is suspended instead: its installs and reviews are counted."""
        return False

    def find(self, agents, term):
        return agents.filter(
            Q(handle__startswith=term.lower()) | Q(public_id=term) | Q(name__istartswith=term)
        )

    @admin.display(description="state")
    def state(self, agent):
        label = "suspended" if agent.suspended_at else "active"
        return format_html('<span class="state state-{}">{}</span>', label, label)

    def save_model(self, request, obj, form, change):
        self.keep_snapshot(obj)
        obj.save(update_fields=[*form.changed_data, "updated_at"])

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("claim")

    def around(self, request, row):
        return {"panels": self.panels(row), "claim": row.claim}

    def is_offered(self, action, row):
        return {
            "suspend": row.suspended_at is None,
            "restore": row.suspended_at is not None,
            "release_claim": row.claim.status != "unclaimed",
        }.get(action, True)

    def panels(self, agent):
        """What the agent has, the newest of each kind, with the way to all of it."""
        skills = agent.skill_installs.select_related("skill").only(
            "installed_at", "agent_id", "skill_id", "skill__slug"
        )
        personas = agent.persona_installs.select_related("persona").only(
            "is_active", "installed_at", "agent_id", "persona_id", "persona__slug"
        )
        reviews = agent.reviews.select_related("persona").only(
            "rating", "hidden_at", "agent_id", "persona_id", "persona__slug"
        )
        return [
            panel("Tokens", agent, agent.tokens.all(), said_of_token),
            panel("Skills", agent, skills, said_of_skill),
            panel("Personas", agent, personas, said_of_persona),
            panel("Reviews", agent, reviews, said_of_review),
        ]

    @admin.action(description="Issue a token", permissions=["change"])
    def issue_token(self, request, queryset):
        """A page that asks for scopes and expiry, then shows the token once, in this answer."""
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
            token.keep_history(user=request.user, reason="Issued.", kind="+")
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
        form = ReasonForm(request.POST if self.is_confirmed(request) else None)
        if not form.is_valid():
            return self.confirm(
                request,
                queryset,
                "suspend",
                form=form,
                danger=True,
                text="A suspended agent is refused with every token, until it is restored. The "
                "reason is for staff.",
            )
        reason = form.cleaned_data["reason"]
        for agent in queryset.order_by("pk"):
            with self.changing(request, agent, f"Suspended: {reason}"):
                agent.suspend(reason)
        self.message_user(request, "Suspended: their tokens are refused from now on.")
        return None

    @admin.action(description="Restore", permissions=["change"])
    def restore(self, request, queryset):
        if not self.is_confirmed(request):
            return self.confirm(request, queryset, "restore", text="Their tokens work again.")
        for agent in queryset.order_by("pk"):
            with self.changing(request, agent, "Restored."):
                agent.restore()
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


def panel(title, agent, rows, said):
    """The newest rows of one kind; `said` gives a row's text and a note to it."""
    pages = f"admin:{rows.model._meta.app_label}_{rows.model._meta.model_name}"
    return {
        "title": title,
        "rows": [(*said(row), reverse(f"{pages}_change", args=[row.pk])) for row in rows[:NEWEST]],
        "all": reverse(f"{pages}_changelist") + f"?agent__id__exact={agent.pk}",
    }


def said_of_token(token):
    return token.hint, f"{', '.join(token.scopes)}; {token.state}"


def said_of_skill(install):
    return install.skill.slug, f"{install.installed_at:%d %b %Y, %H:%M}"


def said_of_persona(install):
    active = ", active" if install.is_active else ""
    return install.persona.slug, f"{install.installed_at:%d %b %Y, %H:%M}{active}"


def said_of_review(review):
    return review.persona.slug, f"{review.rating}{', hidden' if review.hidden_at else ''}"


@admin.register(AgentToken)
class AgentTokenAdmin(FindsTokens, ReadOnlyModelAdmin):
    list_display = [
        *("hint", "agent", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at")
    ]
    list_filter = [RevokedFilter]
    list_select_related = ["agent"]
    search_fields = ["hint"]  # see `find`
    search_help_text = "Handle, start or end of a token, whole token"
    fields = [
        *("hint", "agent", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at")
    ]
    actions = ["revoke"]

    def find(self, queryset, term):
        return queryset.annotate(end=Right("hint", 4)).filter(
            Q(hint__startswith=term) | Q(end=term) | Q(agent__in=of_agents(term))
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
        for token in queryset.order_by("pk"):
            with self.changing(request, token, "Revoked."):
                token.revoke()
        self.message_user(request, "Revoked: they are refused from now on.")
        return None


class ClaimFilter(admin.SimpleListFilter):
    title = parameter_name = "status"

    def lookups(self, request, model_admin):
        return [("claimed", "claimed"), ("pending", "pending")]

    def queryset(self, request, queryset):
        if self.value() == "claimed":
            return queryset.filter(~Q(operator_email=""), claimed_at__isnull=False)
        if self.value() == "pending":
            return queryset.filter(~Q(code_digest=""), claimed_at=None)
        return queryset


@admin.register(OperatorClaim)
class OperatorClaimAdmin(ReadOnlyModelAdmin):
    list_display = ["agent", "status", "operator_name", "operator_email", "claimed_at"]
    list_filter = [ClaimFilter]
    list_select_related = ["agent"]
    ordering = ["-id"]
    search_fields = ["operator_email"]  # see `find`
    search_help_text = "Handle, or the operator's whole e-mail address"
    fields = ["agent", "status", "operator_name", "operator_email", "claimed_at"]

    def find(self, queryset, term):
        if "@" in term:
            return queryset.annotate(email=Lower("operator_email")).filter(
                ~Q(operator_email=""), email=term.lower()
            )
        return queryset.filter(agent__in=of_agents(term))

    def attention(self):
        pending = OperatorClaim.objects.filter(~Q(code_digest=""), claimed_at=None)
        return [("claims that wait for their code", pending, "?status=pending")]
