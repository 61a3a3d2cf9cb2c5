"""Responds to the messages of MCP: each method is a function of the request and its parameters."""

import json
from http import HTTPStatus

import orjson
from django.http import HttpResponse
from django.urls import reverse

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from catalogue.models import Persona, Skill
from interfaces.mcp import prompts, protocol, skills, wording
from interfaces.mcp.authentication import is_connector
from interfaces.mcp.protocol import INVALID_PARAMS, UNKNOWN_METHOD, MCPError, argument
from interfaces.mcp.tools_list import list_tools, lists, tools_here
from marketplace import access
from marketplace.api.exceptions import ApiError, AuthenticationRequired, Unavailable
from marketplace.api.links import base_url
from marketplace.secrets import mask
from search.reads import near_slugs


def respond(request, message):
    """The response to a message. Raises BadRequest for anything else."""
    protocol.check_form(message)
    # The ID goes back as it came: orjson writes no number of more than 64 bits.
    ids = {"id": orjson.Fragment(json.dumps(message["id"]))} if "id" in message else {}
    try:
        version = protocol.version_of(request.headers)
        if not {"id", "method"} <= message.keys():
            return json_response(b"", status=202)  # It expects no content.
        result = result_of(request, version, message["method"], message.get("params") or {})
        content, status = {"result": result}, 200
    except MCPError as error:
        content, status = {"error": error.error}, error.status_for(request.headers)
    return json_response(orjson.dumps({"jsonrpc": "2.0", **ids, **content}), status)


def json_response(content, status):
    headers = Unavailable.headers if status == Unavailable.status_code else None
    return HttpResponse(content, status=status, content_type="application/json", headers=headers)


def result_of(request, version, method, params):
    if version == protocol.MODERN_VERSION:
        protocol.check_envelope(request.headers, method, params)
        result = run(MODERN_METHODS, method, request, params)
        meta = {protocol.SERVER_INFO: protocol.SERVER}
        return {**result, "resultType": "complete", "_meta": meta}
    result = run(HANDSHAKE_METHODS, method, request, params)
    # These versions have no such fields.
    return {name: result[name] for name in result if name not in {"ttlMs", "cacheScope"}}


def run(methods, method, request, params):
    if method not in methods:
        status = HTTPStatus.NOT_FOUND
        raise MCPError(UNKNOWN_METHOD, "Method not found", mask(method), status=status)
    return methods[method](request, params)


@access.for_everyone
def initialize(request, params):
    version = argument(params, "protocolVersion", str)
    known = protocol.HANDSHAKE_VERSIONS
    return {
        "protocolVersion": version if version in known else known[-1],
        "serverInfo": protocol.SERVER,
        **introduction(request),
    }


@access.for_everyone
def discover(request, _params):
    return {
        "supportedVersions": protocol.VERSIONS,
        **introduction(request),
        **skills.PRIVATE,
    }


def introduction(request):
    return {
        "capabilities": {
            "tools": {"listChanged": False},
            "prompts": {"listChanged": False},
            "resources": {"subscribe": False, "listChanged": False},
            "extensions": {skills.EXTENSION: {}},
        },
        "instructions": instructions(request),
    }


def instructions(request):
    base = base_url(request)
    console = base + reverse("operator")
    if is_connector(request):
        return wording.connected(lists(request, base + reverse("mcp-oauth")), console=console)
    return wording.instructions(
        lists(request, base + reverse("mcp")),
        url=base + reverse("registration-register"),
        console=console,
    )


@access.for_everyone
def ping(_request, _params):
    return {}


@access.for_readers
def call_tool(request, params):
    """The API's response as a tool's result: its JSON, also as text, or the error's sentence."""
    name = argument(params, "name", str)
    arguments = argument(params, "arguments", dict | None) or {}
    tools = tools_here(request)
    if name not in tools:
        raise MCPError(INVALID_PARAMS, f"Unknown tool. The tools are {', '.join(tools)}")
    tool = tools[name]
    try:
        response = tool.call(request, arguments)
        if response.status_code >= 400:
            error = json.loads(response.content)["error"]
            return refusal(". ".join([error, *advice(request, error, tool, arguments)]))
        data = tool.content_of(response)
    except ApiError as error:
        return refusal(mask(str(error.detail)))
    text = {"type": "text", "text": orjson.dumps(data).decode()}
    return {"content": [text], "structuredContent": data, "isError": False}


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
    return {"content": [{"type": "text", "text": text}], "isError": True}


METHODS = {
    "tools/list": list_tools,
    "tools/call": call_tool,
    "resources/list": skills.list_resources,
    "resources/templates/list": skills.list_templates,
    "resources/read": skills.read_resource,
    "prompts/list": prompts.list_prompts,
    "prompts/get": prompts.get_prompt,
    "skills/list": skills.list_skills,
    "skills/get": skills.get_skill,
}
HANDSHAKE_METHODS = {"initialize": initialize, "ping": ping, **METHODS}
MODERN_METHODS = {"server/discover": discover, **METHODS}


def check_handlers():
    """Raise ImproperlyConfigured where a handler does not say whether it asks who reads."""
    for function in (HANDSHAKE_METHODS | MODERN_METHODS).values():
        access.audience_of(function)


check_handlers()
