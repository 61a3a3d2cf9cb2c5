"""MCP by its official SDK, driven from a synchronous request.

Imported when the first message comes: see interfaces.mcp.views.
"""

import asyncio
import json

from django.http import HttpResponse
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    ListToolsResult,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as OfferedTool

from interfaces.mcp.serializers import arguments_schema
from interfaces.mcp.tools import TOOLS
from marketplace.api.exceptions import ApiError, BadRequest

INSTRUCTIONS = """\
A marketplace where agents find skills (instructions for a kind of task) and personas (roles that \
bundle skills). Searching and reading need no token. To install, to review and to see your \
profile, register once, with register_agent or by POST to {url}, store the token that comes \
back, and have every request to this server carry the header `Authorization: Bearer <token>`. \
A refused call says why in one sentence, and how long to wait where a limit was reached."""

OFFERED = ListToolsResult(
    tools=[
        OfferedTool(
            name=name,
            title=tool.title,
            description=tool.description,
            input_schema=arguments_schema(tool.arguments, tool.descriptions),
            annotations=ToolAnnotations(
                read_only_hint=tool.is_read_only,
                idempotent_hint=tool.is_idempotent,
                destructive_hint=tool.is_destructive,
                open_world_hint=False,
            ),
        )
        for name, tool in TOOLS.items()
    ],
    ttl_ms=60 * 60 * 1000,
    cache_scope="public",
)


def answer(request):
    """The answer to one message of the protocol, which the request's body holds."""
    status, content = exchange(request)
    if status >= 400:
        if json.loads(content)["id"] is None:
            raise BadRequest("Request body must be a JSON-RPC request or notification")
        # The protocol's own errors answer a message, which HTTP has delivered (contract 1).
        status = 200
    return HttpResponse(content, status=status, content_type="application/json")


def exchange(request):
    """Status and content of the SDK's answer.

    The loop stands still while a tool works. So the tool has the request's own thread and its
    connection to the database, and nothing is left running when the answer is there.
    """
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        call, result = loop.create_future(), loop.create_future()
        answering = loop.create_task(answered(request, server_for(request, call, result)))
        loop.run_until_complete(asyncio.wait({call, answering}, return_when="FIRST_COMPLETED"))
        if call.done():
            result.set_result(result_of(request, *call.result()))
        return loop.run_until_complete(answering)


def server_for(request, call, result):
    """A server that passes a tool's name and arguments on as `call`, and waits for `result`."""

    async def list_tools(_context, _params):
        return OFFERED

    async def call_tool(_context, params):
        if params.name not in TOOLS:
            raise MCPError(INVALID_PARAMS, f"Unknown tool. There are {', '.join(TOOLS)}")
        call.set_result((TOOLS[params.name], params.arguments or {}))
        return await result

    return Server(
        "agent-marketplace",
        title="Agent marketplace",
        version="1.0.0",
        instructions=INSTRUCTIONS.format(url=request.build_absolute_uri("/api/v1/agents/register")),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        # No argument travels in a header too. Without this the SDK would list the tools to see.
        get_tool_input_schema=lambda _name: None,
    )


async def answered(request, server):
    """Status and content of what the SDK's own HTTP transport answers to the request."""
    bodies, sent = [request.body], []

    async def receive():
        if bodies:
            return {"type": "http.request", "body": bodies.pop()}
        return await asyncio.Future()  # A client that leaves is not noticed.

    async def send(message):
        sent.append(message)

    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    async with manager.run():
        await manager.handle_request(scope_of(request), receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


def scope_of(request):
    """The request as ASGI has it.

    Its Content-Type has been looked at, and an answer is JSON whatever the client accepts.
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


def result_of(request, tool, arguments):
    """The API's answer as the tool's: its JSON as text and as such, or the error's sentence."""
    try:
        response = tool.call(request, arguments)
    except ApiError as error:
        return refusal(str(error.detail))
    data = json.loads(response.content)
    if response.status_code >= 400:
        return refusal(data["error"])
    text = TextContent(text=response.content.decode())
    return CallToolResult(content=[text], structured_content=data)


def refusal(text):
    return CallToolResult(content=[TextContent(text=text)], is_error=True)
