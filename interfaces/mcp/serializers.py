"""The arguments of the tools that read, and the JSON Schema of any tool's arguments."""

from rest_framework.fields import empty

from catalogue.filters import MAX_QUERY, PersonaFilterSet, SkillFilterSet
from catalogue.serializers import KIND_SCHEMA
from interfaces.openapi.request_bodies import schema_of
from marketplace.api.pagination import KeysetPagination
from marketplace.api.schemas import RATING, TEXT
from marketplace.api.serializers import (
    BodySerializer,
    BooleanField,
    ChoiceField,
    NamedField,
    SlugField,
    TextField,
    WholeNumberField,
)
from reviews.filters import PersonaReviewFilterSet


class TagsField(NamedField):
    default_error_messages = {"invalid": "{field} must be a list of strings"}

    def to_internal_value(self, data):
        if not isinstance(data, list) or not all(isinstance(tag, str) for tag in data):
            self.fail("invalid")
        return data


class NumberField(NamedField):
    default_error_messages = {"invalid": "{field} must be a number"}

    def to_internal_value(self, data):
        if isinstance(data, bool) or not isinstance(data, int | float):
            self.fail("invalid")
        return data


class SortField(TextField):
    """The name of a sort; whether there is one, the API says."""

    def __init__(self, sorts):
        super().__init__(required=False)
        self.sorts = sorts


class LimitSerializer(BodySerializer):
    limit = WholeNumberField(
        min_value=1, max_value=KeysetPagination.max_limit, default=KeysetPagination.default_limit
    )


class PageSerializer(LimitSerializer):
    cursor = TextField(required=False)


class SearchSerializer(PageSerializer):
    query = TextField(max_length=MAX_QUERY, required=False)
    category = TextField(required=False)
    tag = TagsField(required=False)
    runtime = TextField(required=False)
    author = TextField(required=False)
    license = TextField(required=False)


class SearchSkillsSerializer(SearchSerializer):
    bundledIn = TextField(required=False)
    sort = SortField(SkillFilterSet.sort_names())


class SearchPersonasSerializer(SearchSerializer):
    skill = TextField(required=False)
    free = BooleanField(required=False)
    minRating = NumberField(required=False)
    sort = SortField(PersonaFilterSet.sort_names())


class FacetsSerializer(BodySerializer):
    kind = ChoiceField(KIND_SCHEMA["enum"])


class ListChangesSerializer(LimitSerializer):
    since = TextField(required=False)
    kind = ChoiceField(KIND_SCHEMA["enum"], required=False)


class SlugSerializer(BodySerializer):
    slug = SlugField()


class FileSerializer(SlugSerializer):
    path = SlugField()


class ListReviewsSerializer(PageSerializer):
    slug = SlugField()
    rating = WholeNumberField(min_value=1, max_value=5, required=False)
    sort = SortField(PersonaReviewFilterSet.sort_names())


class DeleteReviewSerializer(BodySerializer):
    personaSlug = SlugField()


class ManifestSerializer(BodySerializer):
    content = BooleanField(default=True)


class RevokeTokenSerializer(BodySerializer):
    tokenId = SlugField(required=False)
    token = TextField(required=False)


class NothingSerializer(BodySerializer):
    pass


@schema_of.register
def _(_field: TagsField):
    return {"type": "array", "items": TEXT}


@schema_of.register
def _(_field: NumberField):
    return RATING


@schema_of.register
def _(field: SortField):
    return {"type": "string", "enum": field.sorts}


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
    return {} if field.default in {empty, None} else {"default": field.default}
