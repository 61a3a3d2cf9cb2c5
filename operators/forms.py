from django import forms
from django.template.defaultfilters import date

from agents import handles, tokens
from agents.models import AgentToken, OperatorClaim, OperatorKey
from catalogue.models import Skill
from installs.models import choices
from marketplace.api.scopes import DEFAULT_SCOPES, scope_choices
from marketplace.features import has_submissions
from marketplace.models import max_length
from marketplace.names import has_controls
from marketplace.ratelimits.rates import in_words
from marketplace.ratelimits.windows import allowed, rate_of
from marketplace.secret_fields import NoEchoMixin, NoSecretMixin

# The policies that an operator may limit. Codes are left out: without attempts left, nobody else
# could claim the agent.
LIMITED = {"install": "Installs", "review": "Reviews", "manage": "Changes", "report": "Reports"}
SUBMITTING = {"submit": "Submissions"}  # where agents can submit
MEANINGS = {"manage": "Uninstalls, updates, persona switches, and creating or revoking tokens. "}
REQUIRED = {"required": True}  # in each form of a page that shows a part of the fields
MAX_VERSIONS = MAX_AGENTS = 500  # that a form offers


class NoControlsMixin:
    def validate(self, value):
        super().validate(value)
        if has_controls(value):
            raise forms.ValidationError("This must not contain control characters.")


class NameField(NoControlsMixin, NoSecretMixin, forms.CharField):
    pass


class EmailField(NoControlsMixin, NoSecretMixin, forms.EmailField):
    """Django accepts control characters in quotes, and overrides in a domain."""


class NumberField(NoEchoMixin, forms.IntegerField):
    pass


class ClaimForm(forms.Form):
    """A key, or the name and the address of somebody who gets a new one.

    With a key, what is not entered is that of the newest claim with the key.
    """

    name = NameField(
        required=False,
        max_length=max_length(OperatorClaim, "operator_name"),
        label="Your name or organization",
        widget=forms.TextInput(attrs=REQUIRED),
    )
    email = EmailField(
        required=False,
        max_length=max_length(OperatorClaim, "operator_email"),
        label="Email address",
        widget=forms.EmailInput(attrs=REQUIRED),
    )
    key = forms.CharField(
        required=False,
        label="Your operator key",
        help_text="It then opens this agent too. Your name and email address stay those of your "
        "other agents.",
        # A password is never written back into the page.
        widget=forms.PasswordInput(attrs={"autocomplete": "off", **REQUIRED}),
    )
    known = None  # the newest claim with the key

    def clean_key(self):
        text = self.cleaned_data["key"]
        key = OperatorKey.objects.of_text(text) if text else None
        if text and key is None:
            raise forms.ValidationError(
                "This key is not valid. A new key becomes valid once its agent confirms the code."
            )
        self.known = key and key.claims.claimed().order_by("-claimed_at").first()
        return text

    def clean(self):
        for name in {"name", "email"} - {*self.errors}:
            if not self.cleaned_data[name] and self.known:
                self.cleaned_data[name] = getattr(self.known, f"operator_{name}")
            elif not self.cleaned_data[name] and "key" not in self.errors:
                self.add_error(name, self.fields[name].error_messages["required"])
        return self.cleaned_data


class ConsoleTokenForm(forms.Form):
    name = NameField(
        required=False,
        max_length=max_length(AgentToken, "name"),
        label="Name (optional)",
    )
    scopes = forms.MultipleChoiceField(
        choices=scope_choices,
        initial=DEFAULT_SCOPES,
        label="Scopes",
        widget=forms.CheckboxSelectMultiple,
        # Django's own text repeats what was sent.
        error_messages={"invalid_choice": "Choose from the list."},
    )
    expires_in_days = NumberField(
        required=False,
        min_value=1,
        max_value=tokens.MAX_DAYS,
        label="Days until it expires",
        help_text="Leave this empty for a token that never expires.",
    )


class NoEchoCharField(NoEchoMixin, forms.CharField):
    pass


class InstallForm(forms.Form):
    slug = NoEchoCharField(
        max_length=max_length(Skill, "slug"), error_messages={"required": "Choose one."}
    )


class InstallPersonaForm(InstallForm):
    activate = forms.BooleanField(required=False, label="Make it the active persona")


class SourceForm(forms.Form):
    """Another agent of the operator, by its handle."""

    source = forms.ChoiceField(
        label="Agent to copy from", error_messages={"invalid_choice": "Choose from the list."}
    )

    def __init__(self, key, claim, *args, **kwargs):
        super().__init__(*args, **kwargs)
        others = key.claims.claimed().exclude(pk=claim.pk).order_by("agent__handle")
        handles_of_others = others.values_list("agent__handle", flat=True)[:MAX_AGENTS]
        self.fields["source"].choices = [(handle, handle) for handle in handles_of_others]


class HandleForm(forms.Form):
    """The handle of an agent, typed to confirm what cannot be undone."""

    handle = NoEchoCharField(max_length=handles.MAX_LENGTH, label="Type its handle to confirm")

    def __init__(self, handle, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.expected = handle

    def clean_handle(self):
        if self.cleaned_data["handle"].strip() != self.expected:
            raise forms.ValidationError(f"This is not its handle. Type {self.expected}.")


class LimitsForm(forms.Form):
    """For each policy a number below what the tier or the staff allow, or nothing."""

    def __init__(self, claim, *args, **kwargs):
        super().__init__(*args, **kwargs)
        limited = LIMITED | SUBMITTING if has_submissions() else LIMITED
        for policy, label in limited.items():
            highest, limit = allowed(policy, claim.agent), claim.agent.limits.get(policy)
            _, _, period = rate_of(policy, claim.agent.tier).partition("/")
            self.fields[policy] = NumberField(
                required=False,
                min_value=1,
                max_value=highest,
                # The tier or staff may allow less by now.
                initial=limit and min(limit, highest),
                label=label,
                help_text=f"{MEANINGS.get(policy, '')}Leave this empty to allow "
                f"{in_words(f'{highest}/{period}')}, or enter a lower number.",
            )


class PinForm(forms.Form):
    """The newest readable versions. The one that the agent uses is selected."""

    version = forms.TypedChoiceField(
        coerce=int,
        # Django's own text repeats what was sent.
        error_messages={"invalid_choice": "Choose from the list."},
    )

    def __init__(self, install, *args, **kwargs):
        super().__init__(*args, **kwargs)
        field, used = self.fields["version"], install.chosen(choices.used)
        field.choices = [
            (version.number, described(version, is_used=version == used))
            for version in offered(install.entry, used)
        ]
        if used is not None:
            field.initial = used.number
        else:
            field.choices = [("", "Choose one"), *field.choices]
            field.help_text = (
                "The text that the agent uses was recalled, or is older than the first version."
            )


def offered(entry, used):
    columns = "number", "version", "created_at"
    newest = entry.versions.readable().with_row_version().only(*columns)[:MAX_VERSIONS]
    is_among_them = used is None or used in newest
    return newest if is_among_them else [*newest, used]


def described(version, *, is_used):
    """For example "3 (current, in use), 5 Nov 2026, 1.0". A phone may cut off the label."""
    is_current = getattr(version, "is_current", False)
    states = ", ".join([*["current"] * is_current, *["in use"] * is_used])
    number = f"{version.number} ({states})" if states else str(version.number)
    return ", ".join(filter(None, [number, date(version.created_at, "j M Y"), version.version]))
