import json
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote

from django.urls import reverse

from interfaces.mcp.api import call_api
from interfaces.mcp.serializers import NothingSerializer
from marketplace.api.exceptions import BadRequest


def get(tool, caller, arguments):
    """GET with the arguments as the query.

    Where the tool takes some, one that it does not declare is refused: no filter may be ignored.
    """
    tool.arguments().read(arguments)
    path, rest = tool.address(arguments)
    allowed = [name for name in tool.descriptions if name not in tool.in_path]
    if allowed and (unknown := rest.keys() - set(allowed)):
        raise BadRequest(f"Unknown argument {min(unknown)!r}. Allowed: {', '.join(allowed)}")
    return call_api(caller, "GET", path, query=query_of(rest) if allowed else ())


def post(tool, caller, arguments):
    return call_api(caller, "POST", reverse(tool.route), body=arguments)


def delete(tool, caller, arguments):
    tool.arguments().read(arguments)
    path, _ = tool.address(arguments)
    return call_api(caller, "DELETE", path)


def json_of(response):
    return json.loads(response.content)


@dataclass(frozen=True)
class Tool:
    """A request of the API as a tool.

    `in_path` names the arguments that are parts of the path, and `shown` makes of the response
    what the tool shows.
    """

    title: str
    description: str
    send: Callable
    route: str
    arguments: type = NothingSerializer
    descriptions: dict = field(default_factory=dict)
    in_path: list = field(default_factory=list)
    shown: Callable = json_of
    is_idempotent: bool = True
    is_destructive: bool = False

    def call(self, caller, arguments):
        """The API's response. Raises BadRequest for arguments that make no request."""
        return self.send(self, caller, arguments)

    @property
    def is_read_only(self):
        return self.send is get

    def address(self, arguments):
        """The path, and the arguments that are not part of it."""
        # Whatever an argument holds, a slash too, is one segment; only a file's path is several.
        parts = [
            arguments[name] if name == "path" else quote(arguments[name], safe="")
            for name in self.in_path
        ]
        rest = {name: value for name, value in arguments.items() if name not in self.in_path}
        return reverse(self.route, args=parts), rest


def query_of(arguments):
    """The arguments as (name, text); a `next` link as the cursor stands for all of them."""
    for name in ("cursor", "since"):
        link = parse_qsl((arguments.get(name) or "").partition("?")[2], keep_blank_values=True)
        if name in dict(link):
            return link
    return [
        (name, each if isinstance(each, str) else json.dumps(each))
        for name, value in arguments.items()
        if value is not None
        for each in (value if isinstance(value, list) else [value])
    ]
