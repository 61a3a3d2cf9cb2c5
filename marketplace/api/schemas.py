"""JSON Schema, in which serializers and filters describe themselves to OpenAPI."""

from marketplace.models import max_length

# By name: the schemas that others refer to. OpenAPI calls them components.
COMPONENTS = {}

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0, "examples": [2]}
FLAG = {"type": "boolean", "examples": [True]}
URL = {"type": "string", "format": "uri"}
TIMESTAMP = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$",
    "description": "ISO 8601, UTC, milliseconds.",
    "examples": ["2026-11-21T09:31:26.699Z"],
}
RATING = {"type": "number", "minimum": 1, "maximum": 5}


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


def page_of(row, count="On all pages."):
    """What KeysetPagination responds with."""
    return object_schema(
        {
            "results": array(row),
            "count": described(COUNT, count),
            "next": described(
                like(nullable(URL), "https://marketplace.example/api/v1/skills?cursor=WyIxYzZm"),
                "The next page; null on the last.",
            ),
            "previous": like(nullable(URL), None),
        }
    )


def described(schema, description):
    return schema | {"description": description}


def like(schema, example):
    return schema | {"examples": [example]}


def example_of(schema):
    """A value that the schema describes, made of the `examples` of its parts."""
    if "$ref" in schema:
        return example_of(COMPONENTS[schema["$ref"].rpartition("/")[2]])
    if "examples" in schema:
        return schema["examples"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if "oneOf" in schema:
        return example_of(schema["oneOf"][0])
    if schema["type"] == "array":
        return [example_of(schema["items"])]
    if schema["type"] == "object":
        return {name: example_of(field) for name, field in schema["properties"].items()}
    raise ValueError(f"{schema} needs an example")


def message(example):
    return {"type": "string", "description": "One sentence to read.", "examples": [example]}


def column(model, name):
    """A text of the column's maximum length; for an array column, one of its items."""
    return {"type": "string", "maxLength": max_length(model, name)}


def identifier(kind):
    return {
        "type": "string",
        "pattern": f"^{kind}_",
        "description": "Opaque, and never changes.",
        "examples": [f"{kind}_rzjIGXUky0ywmzzB"],
    }
