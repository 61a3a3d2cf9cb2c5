import json
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from catalogue.models import MAX_NUMBER
from interfaces.mcp.api import call_api
from interfaces.mcp.operations import operations
from marketplace.api.exceptions import BadRequest

# The arguments of every list.
PAGE = dict.fromkeys(["limit", "cursor"], "")


def json_of(response):
    return json.loads(response.content)


@dataclass(frozen=True)
class Tool:
    """An operation of the API as a tool, with a description for each argument that it takes.

    The description is empty if the name says it all: a client loads every tool's before it thinks.
    `aliases` are other names of arguments: {"q": "query"}.

    Without an `operation_id`, the operation has the tool's own name.
    If a tool has an `alternative`, its one argument says which of the two operations is meant.
    If it has an `at_version`, that is the operation for a call with the argument `version`.
    `fixed` are the members of the body that the tool itself sets.
    `content_of` extracts what the tool shows from the response.
    """

    title: str
    description: str
    descriptions: dict = field(default_factory=dict)
    operation_id: str = ""
    alternative: str | None = None
    at_version: str | None = None
    aliases: dict = field(default_factory=dict)
    fixed: dict = field(default_factory=dict)
    content_of: Callable = json_of
    is_destructive: bool = False

    def call(self, caller, arguments):
        """The API's response. Raises BadRequest for arguments that make no request."""
        arguments = self.renamed(arguments)
        operation = self.operation_for(arguments)
        if operation.method == "POST":
            return call_api(caller, "POST", operation.path, body=arguments | self.fixed)
        operation.check(arguments, self.names_of(operation))
        query = self.query(operation, arguments) if operation.reads else ()
        return call_api(caller, operation.method, operation.address(arguments), query=query)

    def renamed(self, arguments):
        """The arguments without aliases."""
        for alias, name in self.aliases.items():
            if alias in arguments:
                if name in arguments:
                    raise BadRequest(f"{name} must be given at most once")
                arguments = {self.aliases.get(key, key): arguments[key] for key in arguments}
        return arguments

    @property
    def operation(self):
        return operations()[self.operation_id]

    def operation_for(self, arguments):
        if self.at_version and arguments.get("version") is not None:
            return operations()[self.at_version]
        if self.alternative is None:
            return self.operation
        names = [name for name in self.descriptions if arguments.get(name) is not None]
        if len(names) != 1:
            raise BadRequest(f"Either {' or '.join(self.descriptions)} is required")
        is_first = names[0] in self.operation.arguments
        return self.operation if is_first else operations()[self.alternative]

    def names_of(self, operation):
        """The names of the operation's arguments, those of every list first."""
        names = operation.arguments if operation.method == "POST" else self.descriptions
        common = operation.arguments.keys() & self.descriptions.keys()
        return sorted((name for name in names if name in common), key=lambda name: name not in PAGE)

    def query(self, operation, arguments):
        """The arguments that are not in the path, as (name, text).

        If the tool takes arguments, an undeclared one is refused: no filter may be
        ignored.
        """
        allowed = [name for name in self.descriptions if name not in operation.in_path]
        rest = {name: arguments[name] for name in arguments if name not in operation.in_path}
        if allowed and (unknown := rest.keys() - set(allowed)):
            raise BadRequest(f"Unknown argument {min(unknown)!r}. Allowed: {', '.join(allowed)}")
        return query_of(rest) if allowed else ()

    @property
    def schema(self):
        """The JSON Schema of the arguments, without bounds that no model reaches."""
        names = filter(None, (self.operation_id, self.alternative, self.at_version))
        arguments = {
            name: declared(operation.arguments[name], self.descriptions[name])
            for operation in map(operations().get, names)
            for name in self.names_of(operation)
        }
        required = [name for name in self.operation.required if name not in self.fixed]
        required = [] if self.alternative else required
        return {"type": "object", "properties": arguments} | (
            {"required": required} if required else {}
        )


DECLARED = {"type", "enum", "items", "maximum"}


def declared(argument, description):
    schema = {
        name: value for name, value in argument.items() if name in DECLARED and value != MAX_NUMBER
    }
    return schema | ({"description": description} if description else {})


def query_of(arguments):
    """The arguments as (name, text). A `next` URL as the cursor replaces all of them."""
    for name in ("cursor", "since"):
        link = parse_qsl((arguments.get(name) or "").partition("?")[2], keep_blank_values=True)
        if name in dict(link):
            return link
    return [
        (name, item if isinstance(item, str) else json.dumps(item))
        for name, value in arguments.items()
        if value is not None
        for item in (value if isinstance(value, list) else [value])
    ]
