"""Request bodies, read strictly (contract 2), and responses of declared fields."""

from operator import attrgetter

from rest_framework import serializers

from marketplace.api.exceptions import BadRequest, NotAnObject, NotJson
from marketplace.api.fields import CountField, Field, NullField, UrlField

WHOLE = "*"  # the source of a field that shows the row itself


class BodySerializer(serializers.Serializer):
    """A request body. Fields that it does not declare are ignored."""

    def to_internal_value(self, data):
        # null for an optional field means that it is absent.
        present = {
            name: value
            for name, value in data.items()
            if value is not None or name not in self.fields or self.fields[name].required
        }
        return super().to_internal_value(present)

    def read(self, body):
        """The values of a body. Raises BadRequest with the problems of all fields, in their order.

        The serializer keeps nothing of the body, so threads may share it.
        """
        try:
            return self.run_validation(body)
        except serializers.ValidationError as error:
            problems = (str(text) for texts in error.detail.values() for text in texts)
            raise BadRequest("; ".join(problems)) from error

    def refusals(self):
        """The texts of the 400s for a wrong body or one wrong field."""
        yield from (NotJson.default_detail, NotAnObject.default_detail)
        for field in self.fields.values():
            yield from field.refusals()


class ResponseListSerializer(serializers.ListSerializer):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        # DRF's child refers to its list. The rows would stay until the garbage collector runs.
        self.child.parent = None

    @property
    def needs_context(self):
        return self.child.needs_context

    def represent(self, rows, context):
        return [self.child.represent(row, context) for row in rows]

    def get_initial(self):
        return [self.child.get_initial()]


class ResponseSerializer(serializers.Serializer):
    """A response from a row, which is a dict or has the fields' sources as attributes.

    DRF copies all fields for each instance and asks each field for its value. Here a class reads
    all sources at once and shares its fields. Fields that need the context get it.
    """

    needs_context = False
    may_lack = ()  # the names of fields that some responses do not have

    class Meta:
        list_serializer_class = ResponseListSerializer

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        fields = cls._declared_fields
        cls.needs_context = any(field.needs_context for field in fields.values())
        cls._names = tuple(fields)
        cls._sources = [field.source or name for name, field in fields.items()]
        # `__class__`, which every row has, is a placeholder for the row itself. With one attribute
        # more than fields, there are at least two: attrgetter returns no tuple for one.
        paths = ("__class__" if source == WHOLE else source for source in cls._sources)
        cls._read = staticmethod(attrgetter(*paths, "__class__"))
        cls._conversions = [
            (name, field.source == WHOLE, field.needs_context, converter_of(field))
            for name, field in fields.items()
            if is_converted(field)
        ]

    def to_representation(self, row):
        return self.represent(row, self.context)

    def represent(self, row, context):
        if isinstance(row, dict):
            values = [row if source == WHOLE else row[source] for source in self._sources]
        else:
            values = self._read(row)
        data = dict(zip(self._names, values, strict=False))
        for name, is_whole, needs_context, convert in self._conversions:
            value = row if is_whole else data[name]
            if value is not None:
                data[name] = convert(value, context) if needs_context else convert(value)
        return data


def is_converted(field):
    shows_as_is = type(field).to_representation is Field.to_representation
    return field.needs_context or field.source == WHOLE or not shows_as_is


def converter_of(field):
    return field.represent if field.needs_context else field.to_representation


class PageSerializer(ResponseSerializer):
    """The response of a KeysetPage; subclasses declare the `results`."""

    results = NullField()
    count = CountField(help_text="The total on all pages.")
    next = UrlField(
        allow_null=True,
        initial="https://marketplace.example/api/v1/skills?cursor=WyIxYzZm",
        help_text="The URL of the next page. Null on the last page.",
    )
    previous = UrlField(allow_null=True, initial=None)
