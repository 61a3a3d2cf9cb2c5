"""JSON Schema, in which serializers and filters describe themselves to OpenAPI."""

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
FLAG = {"type": "boolean"}
URL = {"type": "string", "format": "uri"}
TIMESTAMP = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
    "description": "ISO 8601, UTC, milliseconds.",
}
RATING = {"type": "number", "minimum": 1, "maximum": 5}
MESSAGE = {"type": "string", "description": "One sentence for a person to read."}


def shape(fields, description=None):
    """An object in which every field is always there, and no other."""
    described = {"description": description} if description else {}
    return {
        "type": "object",
        **described,
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def ref(name, kind="schemas"):
    return {"$ref": f"#/components/{kind}/{name}"}


def array(items, **keywords):
    return {"type": "array", "items": items, **keywords}


def nullable(schema):
    if "type" in schema:
        return schema | {"type": [schema["type"], "null"]}
    return {"oneOf": [schema, {"type": "null"}]}


def described(schema, description):
    return schema | {"description": description}


def column(model, name):
    """A text as long as its column takes."""
    return {"type": "string", "maxLength": model._meta.get_field(name).max_length}  # noqa: SLF001


def identifier(kind):
    return {"type": "string", "pattern": f"^{kind}_", "description": "Opaque, and never changes."}
