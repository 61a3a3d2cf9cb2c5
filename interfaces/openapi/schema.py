"""One operation of the document, for drf-spectacular."""

from collections import defaultdict

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import force_instance
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine
from rest_framework.serializers import ListSerializer

from agents.exceptions import ConnectionCannotManageTokens
from agents.permissions import NotOfConnection
from catalogue.serializers.fields import BytesField
from infrastructure.server.sizes import TOO_SLOW
from interfaces.openapi import errors, parameters
from interfaces.openapi.components import HEADERS, ErrorSerializer
from marketplace.api import exceptions, fields
from marketplace.api.serializers import ResponseSerializer
from marketplace.features import has_connectors
from marketplace.middleware import errors as middleware
from marketplace.ratelimits.windows import rate_of

# A status that is not here is described by the errors of the operation.
STATUS_DESCRIPTIONS = {
    200: "Success.",
    201: "Created.",
    206: "The part that `Range` requests.",
    304: "Nothing has changed since the response with this `ETag`. No body.",
    400: "The request is not valid. `error` says what to send instead.",
    408: "The request took too long to arrive.",
    414: "The URL is too long.",
    429: "Too many requests.",
    431: "The headers are too long, or there are too many.",
    500: "The server failed.",
}
# gunicorn's own responses.
TOO_LONG = {414: LimitRequestLine(5120, 4094), 431: LimitRequestHeaders("Too many headers")}
# Requests that fail with one of these are not counted; with a 400 they may be.
UNCOUNTED = {401, 403, 408, *TOO_LONG, 500, 503}
# These may come from a layer that knows no tokens and limits.
OF_ANY_LAYER = {400, 403}


class FieldExtension(OpenApiSerializerFieldExtension):
    target_class = fields.Field
    match_subclasses = True

    def get_name(self):
        return self.target.component

    def map_serializer_field(self, auto_schema, direction):
        field, schema = self.target, self.target.schema
        if isinstance(field, fields.ListField):
            schema["items"] = auto_schema._map_serializer_field(field.child, direction)  # noqa: SLF001
        # null for an optional field means that it is absent.
        if not field.required and schema["type"] != "null":
            schema["nullable"] = True
        return schema


class OperationSchema(AutoSchema):
    """An operation, from the code of its view and from what `extend_schema` adds to it.

    The `responses` of extend_schema are serializers or fields, and those errors that not every
    operation has.
    """

    def get_operation(self, *path):
        operation = super().get_operation(*path)
        # Without a requirement of its own, a reader cannot tell whether one was forgotten.
        operation.setdefault("security", [])
        if self.policy:
            rate = rate_of(self.policy)
            operation["description"] += f"\n\nRate limit `{self.policy}`: {rate} in the free tier."
        return operation

    def _map_basic_serializer(self, serializer, direction):
        schema = super()._map_basic_serializer(serializer, direction)
        if not isinstance(serializer, ResponseSerializer):
            return schema
        if serializer.may_lack:
            names = schema["required"]
            schema["required"] = [name for name in names if name not in serializer.may_lack]
        return schema | {"additionalProperties": False}

    def _map_serializer_field(self, field, direction, bypass_extensions=False):  # noqa: FBT002
        schema = super()._map_serializer_field(field, direction, bypass_extensions)
        if isinstance(field, ListSerializer) and field.max_length:
            schema["maxItems"] = field.max_length
        return schema

    @property
    def policy(self):
        """The rate limit that the operation counts against, or None."""
        return getattr(getattr(self.view, self.view.action), "policy", None)

    @property
    def is_protected(self):
        return bool(self.view.get_authenticators())

    @property
    def is_conditional(self):
        return self.method == "GET" and self.view.is_conditional

    @property
    def takes_ranges(self):
        return 416 in self.get_response_serializers()

    @property
    def is_list(self):
        return self.view.action == "list" and hasattr(self.view, "query_class")

    @property
    def has_body(self):
        return self.method not in {"GET", "DELETE"}

    def _get_parameters(self):
        own = [place for place in parameters.IN_PATH if f"{{{place['name']}}}" in self.path]
        if self.is_list:
            own += parameters.of_list(self.view)
        for parameter in self.get_override_parameters():
            own.append(parameters.in_query(parameter.name, parameter.description, parameter.type))
        if self.is_conditional:
            own.append(parameters.IF_NONE_MATCH)
        if self.takes_ranges:
            own += [parameters.RANGE, parameters.IF_RANGE]
        return own

    def _get_request_body(self, direction="request"):
        body = super()._get_request_body(direction)
        if body is not None:
            (parser,) = self.view.get_parsers()
            body["required"] = not parser.may_be_empty
            example = self.view.get_serializer().get_initial()
            body["content"]["application/json"]["example"] = example
            body["content"] |= {name: self.file_content() for name in parser.file_types}
        return body

    def file_content(self):
        field = BytesField()
        schema = self._map_serializer_field(field, "request")
        return {"schema": schema, "example": field.get_initial()}

    def _get_response_bodies(self, direction="response"):
        responses = dict(self.successes())
        if self.is_conditional:
            responses[304] = {"description": STATUS_DESCRIPTIONS[304], "headers": self.headers(304)}
        texts = defaultdict(list)
        for status, text in self.refusals():
            texts[status].append(text)
        responses |= {status: self.refusal(status, texts[status]) for status in texts}
        return {str(status): responses[status] for status in sorted(responses)}

    def successes(self):
        for key, body in self.get_response_serializers().items():
            if not errors_in(body):
                status, *media_types = key if isinstance(key, tuple) else (key, "application/json")
                example = force_instance(body).get_initial()
                description = STATUS_DESCRIPTIONS[status]
                yield status, self.response(status, description, media_types, body, example=example)

    def refusal(self, status, texts):
        description = STATUS_DESCRIPTIONS.get(status) or errors.reasons(texts)
        examples = {text: errors.example(text) for text in texts}
        return self.response(
            status, description, ["application/json"], ErrorSerializer, examples=examples
        )

    def response(self, status, description, media_types, body, **examples):
        schema = self._map_serializer_field(force_instance(body), "response")
        return {
            "description": description,
            "headers": self.headers(status),
            "content": {media_type: {"schema": schema, **examples} for media_type in media_types},
        }

    def headers(self, status):
        names = []
        if status < 400:
            names += ["Cache-Control", "ETag"] if self.is_conditional else ["Cache-Control"]
        if self.takes_ranges and status in {200, 206}:
            names += ["Accept-Ranges"]
        if status in {206, 416}:
            names += ["Content-Range"]
        if self.is_protected and status in {401, 403}:
            names += ["WWW-Authenticate"]
        if status in {429, 503}:
            names += ["Retry-After"]
        if self.policy and self.is_counted(status):
            names += ["RateLimit", "RateLimit-Policy"]
        if status in OF_ANY_LAYER:
            return {name: HEADERS[name] | {"required": False} for name in names}
        return {name: {"$ref": f"#/components/headers/{name}"} for name in names}

    def is_counted(self, status):
        """Whether a response comes after the count. The 401 of a public operation is an outcome."""
        return status not in UNCOUNTED or (status == 401 and not self.is_protected)

    def refusals(self):
        """Every error that the operation may raise, as (status, text)."""
        if self.is_protected:
            yield 401, exceptions.AuthenticationRequired.default_detail
            yield 403, exceptions.InsufficientScope.default_detail
        yield 403, exceptions.HttpsRequired.default_detail
        if has_connectors() and NotOfConnection in map(type, self.view.get_permissions()):
            yield 403, ConnectionCannotManageTokens.default_detail
        if self.policy:
            yield 429, str(exceptions.RateLimitExceeded(1284).detail)
        for text in self.bad_requests():
            yield 400, text
        for error in self.errors():
            yield error.status_code, error.default_detail
        yield 408, TOO_SLOW
        for status, error in TOO_LONG.items():
            yield status, str(error)
        yield 500, middleware.TEXTS[500]

    def bad_requests(self):
        if self.has_body:
            yield from self.view.get_serializer().refusals()
        if self.is_list:
            yield from self.view.query_class.refusals()
        yield middleware.TEXTS[400]

    def errors(self):
        for value in self.get_response_serializers().values():
            yield from errors_in(value)
        yield exceptions.Unavailable
        if self.has_body:
            yield exceptions.BodyTooLarge
            yield exceptions.UnsupportedContentType


def errors_in(value):
    """The errors that extend_schema names for a status: one, or a tuple of several."""
    responses = value if isinstance(value, tuple) else [value]
    return [
        error
        for error in responses
        if isinstance(error, type) and issubclass(error, exceptions.ApiError)
    ]
