"""The lists of the tools: what `tools/list` responds with."""

from dataclasses import replace
from functools import cache

from django.conf import settings
from mcp.types import ListToolsResult, ToolAnnotations
from mcp.types import Tool as OfferedTool

from interfaces.mcp import wording
from interfaces.mcp.tools import agents, catalogue, installs, reviews
from marketplace import access

TOOLS = {
    name: replace(tool, operation_id=tool.operation_id or name)
    for part in (catalogue, agents, installs, reviews)
    for name, tool in part.TOOLS.items()
}
# What most agents need, listed at /mcp?tools=core (contract 22.19).
CORE = (
    *("search_skills", "get_skill", "get_skill_file", "search_personas", "get_persona"),
    *("register_agent", "install_skill", "install_persona", "my_manifest", "report"),
)


def offered(name, tool):
    return OfferedTool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=annotations_of(tool),
    )


def annotations_of(tool):
    """Clients use these to decide whether to ask a person first."""
    if tool.operation.reads:
        return ToolAnnotations(read_only_hint=True)
    return ToolAnnotations(destructive_hint=tool.is_destructive)


OFFERED = [offered(name, tool) for name, tool in TOOLS.items()]


@access.for_everyone
def list_tools(request, _params):
    return listed(CORE if lists_core(request) else tuple(TOOLS), settings.REGISTRATION)


@cache
def listed(names, _registration):
    """The result as the SDK sends it, which takes longer to make than all the rest."""
    tools = [wording.described(tool) for tool in OFFERED if tool.name in names]
    result = ListToolsResult(tools=tools, ttl_ms=60 * 60 * 1000, cache_scope="public")
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


def lists_core(request):
    """Whether the request is to /mcp?tools=core, which the view has checked."""
    return "tools" in request.GET


def lists(request, url):
    """What the handshake says about this list and the other one."""
    text = wording.CORE if lists_core(request) else wording.ALL
    return text.format(url=url, number=len(TOOLS), core=len(CORE))
