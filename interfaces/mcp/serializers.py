"""The arguments of the tools that read, and the JSON Schema of any tool's arguments."""

from rest_framework.fields import empty

from catalogue.filters import MAX_QUERY
from interfaces.openapi.request_bodies import schema_of
from marketplace.api.pagination import KeysetPagination
from marketplace.api.serializers import BodySerializer, NamedField, SlugField, TextField

DEFAULT_LIMIT, MAX_LIMIT = KeysetPagination.default_limit, KeysetPagination.max_limit


class LimitField(NamedField):
    default_error_messages = {"invalid": f"{{field}} must be {KeysetPagination.limit_range}"}

    def to_internal_value(self, data):
        if type(data) is not int or not 1 <= data <= MAX_LIMIT:
            self.fail("invalid")
        return data


class SearchSerializer(BodySerializer):
    query = TextField(max_length=MAX_QUERY, required=False)
    category = TextField(required=False)
    runtime = TextField(required=False)
    limit = LimitField(default=DEFAULT_LIMIT)


class SlugSerializer(BodySerializer):
    slug = SlugField()


class NothingSerializer(BodySerializer):
    pass


@schema_of.register
def _(_field: LimitField):
    return {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}


def arguments_schema(serializer_class, descriptions):
    """The JSON Schema of the object that the serializer reads; descriptions by field."""
    fields = serializer_class().fields
    return {
        "type": "object",
        "properties": {
            name: {**schema_of(field), **default_of(field), "description": descriptions[name]}
            for name, field in fields.items()
        },
        "required": [name for name, field in fields.items() if field.required],
    }


def default_of(field):
    return {} if field.default is empty else {"default": field.default}
