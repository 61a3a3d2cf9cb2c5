"""Limits and installs on an agent's page for staff, who can raise a limit there."""

from django import forms
from django.contrib import admin
from django.urls import reverse

from agents import tokens
from agents.models import Agent, RaisedLimit
from installs.admin.versions import version_of, with_versions
from installs.limits import policies, usages_of
from marketplace.adminsite import theme
from marketplace.adminsite.actions import ActionForm, ReasonField, confirmed_action, offered_to
from marketplace.adminsite.base import link_to
from marketplace.adminsite.panels import Link, table
from marketplace.ratelimits.rates import in_words
from marketplace.ratelimits.windows import rate_of

MAX_LIMIT = 1_000_000_000
DATE = "%d %b %Y, %H:%M"


def limits_panel(_admin, _request, agent):
    """Each limit with its use, and who has changed it."""
    raised = {row.policy: row for row in agent.raised_limits.current().select_related("author")}
    panel = table(
        "Limits",
        ["Policy", "Used", "Next window", "Changed"],
        usages_of(agent),
        lambda usage: (
            usage.policy,
            f"{usage.limit - usage.remaining:,} of {usage.limit:,}",
            f"in {usage.minutes} min" if usage.minutes < 120 else f"in {usage.minutes // 60} h",
            change_of_limit(agent, usage, raised.get(usage.policy)),
        ),
    )
    return panel | {"note": f"The tier {agent.tier} allows {tier_in_words(agent.tier)}."}


def tier_in_words(tier):
    return ", ".join(f"{policy} {in_words(rate_of(policy, tier))}" for policy in policies())


def change_of_limit(agent, usage, raised):
    of_tier = rate_of(usage.policy, agent.tier).partition("/")[0]
    changes = [f"lowered by its operator; the tier allows {of_tier}"] if usage.is_lowered else []
    if raised:
        until = f" until {raised.until:{DATE}}" if raised.until else ""
        author = raised.author or "a former user"
        changes.append(
            f"raised from {of_tier} to {raised.requests:,} by {author}{until}: {raised.note}"
        )
    return "; ".join(changes)


def installs_panel(kind):
    def panel_of(_admin, request, agent):
        """The newest installs, with the version that the agent has. An active persona is first."""
        installs = with_versions(getattr(agent, f"{kind}_installs"))
        if kind == "persona":
            installs = installs.order_by("-is_active", "-id")
        return table(
            f"{kind}s".capitalize(),
            [kind.capitalize(), "Version", "Installed"],
            installs,
            lambda install: (
                Link(install.slug, link_to(request, f"installs.{kind}install", install.pk)),
                version_of(install),
                installed(install),
            ),
            reverse(f"admin:installs_{kind}install_changelist") + f"?agent__id__exact={agent.pk}",
        )

    return panel_of


def installed(install):
    removed = f", until {install.removed_at:{DATE}}" if install.removed_at else ""
    active = ", active" if getattr(install, "is_active", False) else ""
    return f"{install.installed_at:{DATE}}{removed}{active}"


class RaiseLimitForm(ActionForm):
    policy = forms.ChoiceField(widget=theme.Select(attrs={"autofocus": True}))
    limit = forms.IntegerField(
        widget=theme.TextInput,
        required=False,
        min_value=1,
        max_value=MAX_LIMIT,
        label="Requests per window",
        help_text="More than its tier allows. Leave it empty to end an earlier raise.",
    )
    days = forms.IntegerField(
        widget=theme.TextInput,
        required=False,
        min_value=1,
        max_value=tokens.MAX_DAYS,
        initial=30,
        label="Days until it ends",
        help_text="Leave it empty for a raise that never ends.",
    )
    note = ReasonField(
        widget=theme.Textarea(attrs={"rows": 3}),
        help_text="Only staff see it. For example: For the crawl of December.",
    )

    def __init__(self, data, rows, **options):
        super().__init__(data, rows, **options)
        tiers = sorted({agent.tier for agent in rows})
        self.fields["policy"].choices = [
            (policy, f"{policy}: {', '.join(in_words(rate_of(policy, tier)) for tier in tiers)}")
            for policy in policies()
        ]

    def clean(self):
        values = super().clean()
        policy, limit = values.get("policy"), values.get("limit")
        for agent in self.rows if policy and limit else []:
            rate = rate_of(policy, agent.tier)
            if limit <= int(rate.partition("/")[0]):
                text = f"The tier {agent.tier} of {agent} allows {in_words(rate)}. Enter more."
                self.add_error("limit", text)
        return values


@confirmed_action(
    "Raise a limit",
    RaiseLimitForm,
    text="It counts from the next request, also above a limit that the tier gets later. An "
    "operator's lower limit still applies.",
)
@offered_to(lambda agent: agent.deleted_at is None)
def raise_limit(model_admin, request, queryset, *, policy, **values):
    limit, note = values["limit"], values["note"]
    if limit is None:
        model_admin.change_each(
            request,
            queryset,
            f"Ended the raise of the limit {policy}: {note}",
            lambda agent: agent.raised_limits.filter(policy=policy).delete()[0] > 0,
        )
        return
    until = tokens.expiry(values["days"])
    row = {"requests": limit, "until": until, "note": note, "author": request.user}
    end = f" until {until:%d %b %Y}" if until else ""
    model_admin.change_each(
        request,
        queryset,
        f"Raised the limit {policy} to {limit:,}{end}: {note}",
        lambda agent: RaisedLimit.objects.set_one(agent, policy, **row),
    )


admin.site.get_model_admin(Agent).extend(
    panels=[limits_panel, installs_panel("skill"), installs_panel("persona")],
    actions=[raise_limit],
)
