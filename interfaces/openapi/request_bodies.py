"""Request bodies: what the fields of the serializers take, and the texts of their errors."""

from functools import singledispatch

from agents import handles
from agents.serializers import (
    AgentNameField,
    HandleField,
    ScopesField,
    UnchangeableField,
)
from marketplace.api.parsers import NOT_AN_OBJECT, NOT_JSON
from marketplace.api.permissions import Scope
from marketplace.api.schemas import RATING, like
from marketplace.api.serializers import (
    BooleanField,
    ChoiceField,
    SlugField,
    TextField,
    WholeNumberField,
)
from reviews.serializers import RatingField


def body_schema(serializer):
    """The schema of a BodySerializer, which ignores other fields and null in optional ones.

    A field's `initial` value is its example.
    """
    fields = serializer.fields
    return {
        "type": "object",
        "properties": {name: _property(field) for name, field in fields.items()},
        **_given(required=[name for name, field in fields.items() if field.required]),
    }


def refusals(serializer):
    """The texts of the 400s for a wrong body or one wrong field."""
    yield from (NOT_JSON, NOT_AN_OBJECT)
    for field in serializer.fields.values():
        bounds = {name: getattr(field, name, None) for name in ("min_length", "max_length")}
        values = {name: getattr(field, name, None) for name in ("min_value", "max_value")}
        values["choices"] = ", ".join(getattr(field, "choices", ()))
        for key, text in field.error_messages.items():
            is_possible = field.required or key not in {"required", "null"}
            if is_possible and bounds.get(key, True):
                yield text.format(field=field.field_name, length=bounds.get(key), **values)


def _property(field):
    schema = {"description": field.help_text} | schema_of(field)
    schema = like(schema, field.initial)
    if field.required:
        return schema
    # No `default`: openapi-typescript takes a field that has one for required.
    return schema if schema["type"] == "null" else schema | {"type": [schema["type"], "null"]}


def _given(**keywords):
    return {name: value for name, value in keywords.items() if value}


@singledispatch
def schema_of(field):
    raise NotImplementedError(f"{type(field).__name__} is not described")


@schema_of.register
def _(field: TextField):
    return {"type": "string"} | _given(minLength=field.min_length, maxLength=field.max_length)


@schema_of.register
def _(field: SlugField):
    return {"type": "string", "minLength": 1}


@schema_of.register
def _(field: AgentNameField):
    return {"type": "string", "minLength": 1, "maxLength": field.max_length, "pattern": r"\S"}


@schema_of.register
def _(field: HandleField):
    bounds = {"minLength": field.min_length, "maxLength": field.max_length}
    return {"type": "string", "pattern": f"^{handles.PATTERN}$", **bounds}


@schema_of.register
def _(field: UnchangeableField):
    return {"type": "null"}


@schema_of.register
def _(field: ChoiceField):
    return {"type": "string", "enum": field.choices}


@schema_of.register
def _(field: BooleanField):
    return {"type": "boolean"}


@schema_of.register
def _(field: WholeNumberField):
    return {"type": "integer", "minimum": field.min_value, "maximum": field.max_value}


@schema_of.register
def _(field: ScopesField):
    # Without a reference, for MCP's tools.
    return {"type": "array", "items": {"type": "string", "enum": Scope.values}, "minItems": 1}


@schema_of.register
def _(field: RatingField):
    return RATING
