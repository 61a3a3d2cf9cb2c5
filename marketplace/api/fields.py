"""The fields of requests and responses: how values are read and shown, and their JSON Schema."""

from datetime import UTC
from decimal import ROUND_HALF_UP, Decimal

from rest_framework import serializers
from rest_framework.fields import empty

from marketplace.api.exceptions import InvalidRating
from marketplace.api.links import base_url
from marketplace.hidden_text import has_refused
from marketplace.names import has_controls
from marketplace.secrets import holds_token

# The format of `timestamp`, for PostgreSQL's to_char.
TIMESTAMP_FORMAT = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'


def timestamp(value):
    """A datetime as `2026-01-31T09:05:00.000Z` (ISO 8601, UTC, milliseconds); None stays None."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Field(serializers.Field):
    """A value on the wire. `initial` is its example. Error texts may name its attributes."""

    default_error_messages = {
        "required": "{field_name} is required",
        "null": "{field_name} is required",
    }
    help_text = None
    initial = empty
    keywords = {}  # of its JSON Schema
    component = None  # the name of the schema, if others refer to it
    needs_context = False  # if true, it has `represent(value, context)`

    def __init__(self, **options):
        super().__init__(**{"help_text": self.help_text, **options})

    @property
    def schema(self):
        schema = dict(self.keywords)
        if self.help_text:
            schema["description"] = self.help_text
        if self.initial is not empty:
            schema["examples"] = [self.initial]
        return schema

    def to_representation(self, value):
        return value

    def fail(self, key, **_values):
        raise serializers.ValidationError(self.text_of(key), code=key)

    def text_of(self, key):
        return self.error_messages[key].format_map(vars(self))

    def refusals(self):
        """The texts of its errors. The text for "null" is that for "required"."""
        for key in self.error_messages:
            # A field without a maximum length never refuses a text for its length.
            if key != "null" and getattr(self, key, True):
                yield self.text_of(key)


class TextField(Field):
    default_error_messages = {
        "invalid": "{field_name} must be a string",
        "min_length": "{field_name} must be at least {min_length} characters",
        "max_length": "{field_name} must be at most {max_length} characters",
    }
    min_length, max_length = 0, None
    pattern = None

    def __init__(self, *, min_length=None, max_length=None, **options):
        super().__init__(**options)
        self.min_length = min_length or self.min_length
        self.max_length = max_length or self.max_length

    @property
    def keywords(self):
        bounds = {
            "minLength": self.min_length,
            "maxLength": self.max_length,
            "pattern": self.pattern,
        }
        return {"type": "string", **{name: value for name, value in bounds.items() if value}}

    def to_internal_value(self, data):
        if not isinstance(data, str):
            self.fail("invalid")
        if self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length")
        if len(data) < self.min_length:
            self.fail("min_length")
        return data


class PublicTextField(TextField):
    """A text that others will see. Tokens and hidden characters are refused."""

    default_error_messages = {
        "private": "{field_name} must not hold a token",
        "hidden": "{field_name} must not contain hidden characters",
    }
    hides = staticmethod(has_refused)

    def to_internal_value(self, data):
        text = super().to_internal_value(data)
        if holds_token(text):
            self.fail("private")
        if self.hides(text):
            self.fail("hidden")
        return text


class PublicNameField(PublicTextField):
    default_error_messages = {"hidden": "{field_name} must not contain control characters"}
    hides = staticmethod(has_controls)


class RequiredTextField(TextField):
    """A text that is missing if it is empty."""

    keywords = {"type": "string", "minLength": 1}

    def to_internal_value(self, data):
        if data == "":
            self.fail("required")
        return super().to_internal_value(data)


class SlugField(RequiredTextField):
    """A slug in a request; the catalogue decides whether it exists."""


class ChoiceField(Field):
    """One of several texts."""

    default_error_messages = {
        "invalid": "{field_name} must be a string",
        "choice": "{field_name} must be one of {names}",
    }

    def __init__(self, choices, *, component=None, **options):
        super().__init__(**options)
        self.choices, self.names = choices, ", ".join(choices)
        self.component = component

    @property
    def keywords(self):
        return {"type": "string", "enum": self.choices}

    def get_initial(self):
        return self.choices[0] if self.initial is empty else self.initial

    def to_internal_value(self, data):
        if not isinstance(data, str):
            self.fail("invalid")
        if data not in self.choices:
            self.fail("choice")
        return data


class BooleanField(Field):
    default_error_messages = {"invalid": "{field_name} must be a boolean"}
    initial = True
    keywords = {"type": "boolean"}

    def to_internal_value(self, data):
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class WholeNumberField(Field):
    default_error_messages = {
        "invalid": "{field_name} must be a whole number from {min_value} to {max_value}"
    }

    def __init__(self, *, min_value, max_value, **options):
        super().__init__(**options)
        self.min_value, self.max_value = min_value, max_value

    @property
    def keywords(self):
        return {"type": "integer", "minimum": self.min_value, "maximum": self.max_value}

    def to_internal_value(self, data):
        # In Python, true and false are also integers.
        if type(data) is not int or not self.min_value <= data <= self.max_value:
            self.fail("invalid")
        return data


class RatingField(Field):
    """Any JSON number from 1 to 5, as a Decimal with two decimals."""

    TEXT = InvalidRating.default_detail
    default_error_messages = {"required": TEXT, "null": TEXT, "invalid": TEXT}
    keywords = {"type": "number", "minimum": 1, "maximum": 5}

    def to_internal_value(self, data):
        if isinstance(data, bool) or not isinstance(data, int | float) or not 1 <= data <= 5:
            self.fail("invalid")
        return Decimal(str(data)).quantize(Decimal("0.01"), ROUND_HALF_UP)

    def to_representation(self, value):
        """A whole number without a fraction."""
        return int(value) if value == value.to_integral_value() else float(value)


class NullField(Field):
    initial = None
    keywords = {"type": "null"}


class CountField(Field):
    initial = 2
    keywords = {"type": "integer", "minimum": 0}


class ListField(Field):
    """A list of values that are shown unchanged."""

    def __init__(self, child, **options):
        super().__init__(**options)
        self.child = child

    @property
    def keywords(self):
        return {"type": "array", "items": self.child.schema}

    def get_initial(self):
        return [self.child.get_initial()] if self.initial is empty else self.initial


class TimestampField(Field):
    help_text = "ISO 8601, UTC, milliseconds."
    initial = "2026-11-21T09:31:26.699Z"
    keywords = {
        "type": "string",
        "format": "date-time",
        "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
    }
    to_representation = staticmethod(timestamp)


class DigestField(TextField):
    pattern = "^sha256:[0-9a-f]{64}$"
    initial = "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"


class IdentifierField(TextField):
    help_text = "Opaque, and never changes."

    def __init__(self, kind, **options):
        self.pattern = f"^{kind}_"
        super().__init__(**{"initial": f"{kind}_rzjIGXUky0ywmzzB", **options})


class UrlField(Field):
    """The complete URL of a path."""

    keywords = {"type": "string", "format": "uri"}
    needs_context = True

    def represent(self, path, context):
        return base_url(context["request"]) + path


class MessageField(TextField):
    """The message of a write; `again` is the text if the row is not new."""

    help_text = "One sentence that says what happened."

    def __init__(self, text, again=None):
        super().__init__(initial=text, source="*")
        self.again = again

    def to_representation(self, row):
        return self.initial if self.again is None or row.is_new else self.again
