"""Strict request fields, and how values look on the wire (contract 1)."""

from datetime import UTC

from rest_framework import serializers

from marketplace.api.exceptions import BadRequest
from marketplace.names import has_controls
from marketplace.secrets import holds_token

# What `timestamp` writes, for PostgreSQL's to_char.
TIMESTAMP_FORMAT = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'


def timestamp(value):
    """A datetime as `2026-01-31T09:05:00.000Z` (ISO 8601, UTC, milliseconds); None stays None."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def number(value):
    """A decimal as a JSON number, a whole one without a fraction; None stays None."""
    if value is None:
        return None
    return int(value) if value == value.to_integral_value() else float(value)


class NamedField(serializers.Field):
    """A field whose error texts name it."""

    default_error_messages = {"required": "{field} is required", "null": "{field} is required"}

    def fail(self, key, **values):
        super().fail(key, field=self.field_name, **values)


class TextField(NamedField):
    default_error_messages = {
        "invalid": "{field} must be a string",
        "min_length": "{field} must be at least {length} characters",
        "max_length": "{field} must be at most {length} characters",
    }

    def __init__(self, *, min_length=0, max_length=None, **options):
        super().__init__(**options)
        self.min_length = min_length
        self.max_length = max_length

    def to_internal_value(self, data):
        if not isinstance(data, str):
            self.fail("invalid")
        if self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", length=self.max_length)
        if len(data) < self.min_length:
            self.fail("min_length", length=self.min_length)
        return data


class PublicTextField(TextField):
    """A text that others will see: one with a token in it is refused."""

    default_error_messages = {"private": "{field} must not hold a token"}

    def to_internal_value(self, data):
        text = super().to_internal_value(data)
        if holds_token(text):
            self.fail("private")
        return text


class NameField(PublicTextField):
    default_error_messages = {"control": "{field} must not contain control characters"}

    def to_internal_value(self, data):
        name = super().to_internal_value(data)
        if has_controls(name):
            self.fail("control")
        return name


class SlugField(TextField):
    """A slug; whether an entry has it, the catalogue says."""

    def to_internal_value(self, data):
        if data == "":
            self.fail("required")
        return super().to_internal_value(data)


class ChoiceField(NamedField):
    """One of some texts."""

    default_error_messages = {
        "invalid": "{field} must be a string",
        "choice": "{field} must be one of {choices}",
    }

    def __init__(self, choices, **options):
        super().__init__(**options)
        self.choices = choices

    def to_internal_value(self, data):
        if not isinstance(data, str):
            self.fail("invalid")
        if data not in self.choices:
            self.fail("choice", choices=", ".join(self.choices))
        return data


class BooleanField(NamedField):
    default_error_messages = {"invalid": "{field} must be a boolean"}

    def to_internal_value(self, data):
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class WholeNumberField(NamedField):
    default_error_messages = {
        "invalid": "{field} must be a whole number from {min_value} to {max_value}"
    }

    def __init__(self, *, min_value, max_value, **options):
        super().__init__(**options)
        self.min_value, self.max_value = min_value, max_value

    def to_internal_value(self, data):
        # To Python, true and false are integers too.
        if type(data) is not int or not self.min_value <= data <= self.max_value:
            self.fail("invalid", min_value=self.min_value, max_value=self.max_value)
        return data


class BodySerializer(serializers.Serializer):
    """A request body. Fields that it does not declare are ignored."""

    def to_internal_value(self, data):
        # null for an optional field means that it is absent.
        given = {
            name: value
            for name, value in data.items()
            if value is not None or name not in self.fields or self.fields[name].required
        }
        return super().to_internal_value(given)

    def read(self, body):
        """The values of a body; BadRequest with the problems of all its fields, in their order.

        The serializer keeps nothing of the body, so that threads may share one.
        """
        try:
            return self.run_validation(body)
        except serializers.ValidationError as error:
            problems = (str(text) for texts in error.detail.values() for text in texts)
            raise BadRequest("; ".join(problems)) from error
