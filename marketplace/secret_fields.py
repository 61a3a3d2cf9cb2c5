"""Form fields into which somebody may paste a secret."""

from django import forms

from marketplace.secrets import holds_token


class NoEchoMixin:
    """Keeps a secret that somebody pasted into the wrong field out of the page."""

    def prepare_value(self, value):
        return "" if holds_token(str(value)) else super().prepare_value(value)


class NoSecretMixin(NoEchoMixin):
    """For a field that others read: it refuses secrets."""

    refusal = "This must not contain a token or a key."

    def validate(self, value):
        super().validate(value)
        if holds_token(value):
            raise forms.ValidationError(self.refusal)
