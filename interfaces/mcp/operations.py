"""The operations of the API as tools need them, from the OpenAPI document."""

from dataclasses import dataclass, replace
from functools import cache
from urllib.parse import quote

from interfaces.openapi.document import document_with_defaults
from marketplace.api.exceptions import BadRequest

# The keys of a schema that a tool declares for a parameter. The API says whether a slug exists.
KEYWORDS = ["type", "enum", "items", "minimum", "maximum", "default"]
# Parameters that have another name as an argument, which is the same in all tools.
ARGUMENTS = {"number": "version"}


@dataclass(frozen=True)
class Operation:
    """A request, with the JSON Schema of each argument by name."""

    method: str
    path: str
    arguments: dict
    required: list
    in_path: list

    @property
    def reads(self):
        return self.method == "GET"

    def check(self, arguments, names):
        """Raise BadRequest with the problems of the arguments, in the order of the names."""
        problems = (
            problem(self.arguments[name], arguments.get(name), is_required=name in self.required)
            for name in names
        )
        texts = [f"{name} {text}" for name, text in zip(names, problems, strict=True) if text]
        if texts:
            raise BadRequest("; ".join(texts))

    def address(self, arguments):
        """The path, percent-encoded."""
        # An argument is one segment, even if it contains a slash. Only a file's path has several.
        parts = {
            name: arguments[name] if name == "path" else quote(str(arguments[name]), safe="")
            for name in self.in_path
        }
        return quote(self.path.format(**parts))


def problem(schema, value, *, is_required):
    """The problem with an argument, or None. The API checks the rest."""
    if value is None and not is_required:
        return None
    if value is None or (value == "" and "minLength" in schema):
        return "is required"
    if schema["type"] == "string":
        return problem_of_text(schema, value)
    meant, is_right = meaning(schema, value)
    return None if is_right else f"must be {meant}"


def problem_of_text(schema, value):
    if not isinstance(value, str):
        return "must be a string"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of {', '.join(schema['enum'])}"
    if len(value) > schema.get("maxLength", len(value)):
        return f"must be at most {schema['maxLength']} characters"
    return None


def meaning(schema, value):
    """What a value other than text must be, and whether it is."""
    match schema["type"]:
        # To Python, true and false are integers too.
        case "integer":
            least, most = schema["minimum"], schema["maximum"]
            is_within = type(value) is int and least <= value <= most
            return f"a whole number from {least} to {most}", is_within
        case "number":
            return "a number", type(value) in {int, float}
        case "boolean":
            return "a boolean", isinstance(value, bool)
        case "array":
            is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
            return "a list of strings", is_list


@cache
def operations():
    """By their `operationId`."""
    document = document_with_defaults()
    every = {
        operation["operationId"]: operation_of(document, method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    kind = every["list_facets"].arguments["kind"]
    return every | {"list_versions": of_either_kind(every["list_skill_versions"], kind)}


def of_either_kind(of_skills, kind):
    """The operation of skills and its twin of personas as one, which takes the `kind`."""
    return replace(
        of_skills,
        path=of_skills.path.replace("/skills/", "/{kind}s/"),
        arguments={"kind": kind, **of_skills.arguments},
        required=["kind", *of_skills.required],
        in_path=["kind", *of_skills.in_path],
    )


def operation_of(document, method, path, operation):
    parameters = {
        ARGUMENTS.get(parameter["name"], parameter["name"]): parameter
        for parameter in operation.get("parameters", [])
        if parameter["in"] != "header"
    }
    arguments = {name: of_parameter(parameter) for name, parameter in parameters.items()}
    required = [name for name, parameter in parameters.items() if parameter.get("required")]
    if "requestBody" in operation:
        body = body_of(document, operation)
        arguments |= {name: of_body(schema) for name, schema in body["properties"].items()}
        required += [name for name in body["properties"] if name in body.get("required", [])]
    in_path = [name for name, parameter in parameters.items() if parameter["in"] == "path"]
    for name, argument in ARGUMENTS.items():
        path = path.replace(f"{{{name}}}", f"{{{argument}}}")
    return Operation(method, path, arguments, required, in_path)


def body_of(document, operation):
    ref = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    return document["components"]["schemas"][ref.rpartition("/")[2]]


def of_parameter(parameter):
    schema = parameter["schema"]
    keywords = KEYWORDS if "pattern" in schema else [*KEYWORDS, "maxLength"]
    argument = {name: schema[name] for name in keywords if name in schema}
    is_text_in_path = parameter["in"] == "path" and schema["type"] == "string"
    return argument | {"minLength": 1} if is_text_in_path else argument


def of_body(schema):
    argument = {
        name: value for name, value in schema.items() if name not in {"description", "examples"}
    }
    if isinstance(schema["type"], list):  # with null
        argument["type"] = schema["type"][0]
    return argument
