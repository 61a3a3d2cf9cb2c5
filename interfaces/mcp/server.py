"""MCP through its official SDK, run from a synchronous request.

Imported by the web processes alone: see marketplace/wsgi.py.
"""

import asyncio
import json
from functools import partial

import orjson
from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from catalogue.models import Persona, Skill
from interfaces.mcp import skills, wording
from interfaces.mcp.tools_list import TOOLS, list_tools, lists
from marketplace import access
from marketplace.api.exceptions import ApiError, AuthenticationRequired, BadRequest
from marketplace.api.links import base_url
from marketplace.secrets import mask
from search.reads import near_slugs


def respond(request):
    """The response to the one message of the protocol that the request's body holds."""
    status, content = run_server(request)
    if status >= 400:
        if json.loads(content)["id"] is None:
            raise BadRequest("Request body must be a JSON-RPC request or notification")
        # An error of the protocol responds to a message that HTTP has delivered (contract 22.4).
        status = 200
    return HttpResponse(content, status=status, content_type="application/json")


def run_server(request):
    """Status and content of the SDK's response.

    The event loop stops while a handler's work is done. So the work runs in the request's own
    thread, on its connection to the database, and nothing is left running after the response.
    """
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        work, result = loop.create_future(), loop.create_future()
        server = server_for(request, work, result)
        responding = loop.create_task(response_of(server, request))
        loop.run_until_complete(asyncio.wait({work, responding}, return_when="FIRST_COMPLETED"))
        if work.done():
            try:
                result.set_result(work.result()())
            except MCPError as error:
                result.set_exception(error)
        status, content = loop.run_until_complete(responding)
        # The SDK's errors repeat the client's input, and tools may show a new token.
        return status, content if work.done() else mask(content.decode()).encode()


def server_for(request, work, result):
    """A server whose handlers hand over their `work` as a function, and wait for its `result`."""

    def handler(function):
        async def handle(_context, params):
            work.set_result(partial(function, request, params))
            return await result

        return handle

    server = Server(
        "agent-marketplace",
        title="Agent marketplace",
        version=settings.VERSION,
        instructions=wording.instructions(
            lists(request, base_url(request) + reverse("mcp")),
            url=base_url(request) + reverse("registration-register"),
            console=base_url(request) + reverse("operator"),
        ),
        **{name: handler(function) for name, function in HANDLERS.items()},
        # No argument is repeated in a header. Without this the SDK lists the tools to find out.
        get_tool_input_schema=lambda _name: None,
    )
    add_skills(server, handler)
    return server


def add_skills(server, handler):
    """Add the extension, which the SDK does not know."""

    def with_cache_fields(function):
        async def handle(context, params):
            data, caching = await handler(function)(context, params)
            # The versions with a handshake have no such fields.
            if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                return data
            return {**data, "ttlMs": caching["ttl_ms"], "cacheScope": caching["cache_scope"]}

        return handle

    async def declare(context, call_next):
        result = await call_next(context)
        # As a notification it has no result.
        if context.method == "initialize" and result is not None:
            # The SDK drops extensions here, although the schema of those versions allows them.
            result["capabilities"]["extensions"] = server.extensions
        return result

    for method, params, function in SKILLS_HANDLERS:
        server.add_request_handler(method, params, with_cache_fields(function))
    server.extensions[skills.EXTENSION] = {}
    server.middleware.append(declare)


async def response_of(server, request):
    """Status and content of the response by the SDK's own HTTP transport."""
    bodies, messages = [request.body], []

    async def receive():
        if bodies:
            return {"type": "http.request", "body": bodies.pop()}
        return await asyncio.Future()  # Never: a disconnect is not reported.

    async def send(message):
        messages.append(message)

    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    async with manager.run():
        await manager.handle_request(scope_of(request), receive, send)
    return messages[0]["status"], b"".join(message.get("body", b"") for message in messages)


def scope_of(request):
    """The request as an ASGI scope.

    The view has checked its Content-Type, and the response is JSON whatever the client accepts.
    """
    headers = {
        **request.headers,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    return {
        "type": "http",
        "method": "POST",
        "path": request.path,
        "query_string": b"",
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in headers.items()
        ],
    }


@access.for_readers
def call_tool(request, params):
    """The API's response as a tool's result: its JSON, also as text, or the error's sentence."""
    if params.name not in TOOLS:
        raise MCPError(INVALID_PARAMS, f"Unknown tool. The tools are {', '.join(TOOLS)}")
    tool, arguments = TOOLS[params.name], params.arguments or {}
    try:
        response = tool.call(request, arguments)
    except ApiError as error:
        return refusal(mask(str(error.detail)))
    if response.status_code >= 400:
        error = json.loads(response.content)["error"]
        return refusal(". ".join([error, *advice(request, error, tool, arguments)]))
    data = tool.content_of(response)
    text = TextContent(text=orjson.dumps(data).decode())
    return CallToolResult(content=[text], structured_content=data)


# The model whose slug is unknown, by the text of that error.
MODELS = {SkillNotFound.default_detail: Skill, PersonaNotFound.default_detail: Persona}


def advice(request, error, tool, arguments):
    """What an agent can do about an error: sentences beside the API's own."""
    if error == AuthenticationRequired.default_detail:
        yield wording.authenticate()
    # A token may install without being allowed to read.
    model = MODELS.get(error) if access.may_read(request) else None
    slug = "personaSlug" if "personaSlug" in tool.descriptions else "slug"
    near = near_slugs(model, arguments[slug]) if model else []
    if near:
        yield f"Did you mean {' or '.join(near)}?"


def refusal(text):
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


HANDLERS = {
    "on_list_tools": list_tools,
    "on_call_tool": call_tool,
    "on_list_resources": skills.list_resources,
    "on_list_resource_templates": skills.list_templates,
    "on_read_resource": skills.read_resource,
}
SKILLS_HANDLERS = [
    ("skills/list", PaginatedRequestParams, skills.list_skills),
    ("skills/get", skills.GetSkillParams, skills.get_skill),
]


def check_handlers():
    """Raise ImproperlyConfigured where a handler does not say whether it asks who reads."""
    for function in [*HANDLERS.values(), *(function for *_, function in SKILLS_HANDLERS)]:
        access.audience_of(function)


check_handlers()
