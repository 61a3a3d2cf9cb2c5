"""JSON Schema, in which serializers and filters describe themselves to OpenAPI."""

# By name: the schemas that others refer to. OpenAPI calls them components.
COMPONENTS = {}

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


def component(name, schema):
    """Give the schema a name, and return the reference to it."""
    COMPONENTS[name] = schema
    return ref(name)


def ref(name, kind="schemas"):
    return {"$ref": f"#/components/{kind}/{name}"}


def object_schema(fields, description=None):
    """An object in which each field is always there, and no other."""
    return {
        "type": "object",
        **({"description": description} if description else {}),
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def array(items, **keywords):
    return {"type": "array", "items": items, **keywords}


def nullable(schema):
    if "type" in schema:
        return schema | {"type": [schema["type"], "null"]}
    return {"oneOf": [schema, {"type": "null"}]}


def described(schema, description):
    return schema | {"description": description}


def column(model, name):
    """A text of the column's maximum length; for an array column, one of its items."""
    field = model._meta.get_field(name)  # noqa: SLF001
    field = getattr(field, "base_field", field)
    return {"type": "string", "maxLength": field.max_length}


def identifier(kind):
    return {"type": "string", "pattern": f"^{kind}_", "description": "Opaque, and never changes."}
