from django import forms

from agents import tokens
from agents.admin.filters import configured_tiers
from marketplace.adminsite import theme
from marketplace.adminsite.edits import EditForm
from marketplace.api.scopes import Scope


class AgentForm(EditForm):
    """The tier is chosen from those that the deployment configures."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "tier" in self.fields:
            tiers = configured_tiers() | {self.instance.tier}
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
