from django import forms
from django.conf import settings
from django.utils.html import format_html_join

from agents import tokens
from agents.admin.filters import configured_tiers
from agents.models import Agent, Invitation
from agents.models.invitations import DEFAULT_DAYS, DEFAULT_USES, MAX_DAYS, MAX_USES
from marketplace.adminsite import theme
from marketplace.adminsite.edits import EditForm
from marketplace.api.scopes import DEFAULT_SCOPES, scope_choices
from marketplace.models import max_length
from marketplace.ratelimits.rates import FREE_TIER, in_words
from marketplace.ratelimits.windows import rate_of
from marketplace.secret_fields import NoSecretMixin
from marketplace.visible_texts import VisibleTextsMixin


class AgentForm(EditForm):
    """Offers the tiers that the deployment configures."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "tier" in self.fields:
            tiers = sorted(configured_tiers() | {self.instance.tier})
            self.fields["tier"] = forms.ChoiceField(
                choices=[(tier, tier) for tier in tiers],
                widget=theme.Select,
                help_text=tiers_in_words(tiers),
            )


def tiers_in_words(tiers):
    """What each tier means: its rates of the policies in which the tiers differ."""
    policies = [policy for policy, rates in settings.RATE_LIMITS.items() if len(rates) > 1]
    if not policies:
        return "All tiers have the same limits: no RATE_LIMIT variable names another tier."
    return format_html_join(
        "",
        '<span class="staff-role"><b>{}</b>: {}</span>',
        (
            (tier, ", ".join(f"{policy} {in_words(rate_of(policy, tier))}" for policy in policies))
            for tier in tiers
        ),
    )


class AgentField(forms.CharField):
    """An agent by its handle, because a list would be too long."""

    widget = theme.TextInput

    def clean(self, value):
        handle = super().clean(value).removeprefix("@").lower()
        agent = Agent.objects.filter(handle=handle).first()
        if agent is None:
            raise forms.ValidationError(f"No agent is called {handle}.")
        return agent


class NoteField(NoSecretMixin, forms.CharField):
    refusal = "A note must not contain a token or an invitation."


class IssueInvitationForm(VisibleTextsMixin, forms.Form):
    uses = forms.IntegerField(
        widget=theme.TextInput,
        min_value=1,
        max_value=MAX_USES,
        initial=DEFAULT_USES,
        help_text="How many agents may register with it.",
    )
    expires_in_days = forms.IntegerField(
        widget=theme.TextInput, min_value=1, max_value=MAX_DAYS, initial=DEFAULT_DAYS
    )
    scopes = forms.MultipleChoiceField(
        choices=scope_choices,
        initial=DEFAULT_SCOPES,
        help_text="What the tokens of these agents may do.",
        widget=forms.CheckboxSelectMultiple,
    )
    tier = forms.ChoiceField(
        widget=theme.Select, initial=FREE_TIER, help_text="Which rate limits apply to these agents."
    )
    note = NoteField(
        widget=theme.TextInput,
        required=False,
        max_length=max_length(Invitation, "note"),
        help_text="Only staff see it. For example: For the data team.",
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["tier"].choices = [(tier, tier) for tier in sorted(configured_tiers())]


class IssueTokenForm(forms.Form):
    scopes = forms.MultipleChoiceField(
        choices=scope_choices, initial=DEFAULT_SCOPES, widget=forms.CheckboxSelectMultiple
    )
    expires_in_days = forms.IntegerField(
        widget=theme.TextInput,
        required=False,
        min_value=1,
        max_value=tokens.MAX_DAYS,
        help_text="Leave empty for a token that never expires.",
    )
