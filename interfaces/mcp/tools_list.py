"""The list of the tools: what `tools/list` responds with."""

import json
from dataclasses import replace

from mcp.types import ListToolsResult, ToolAnnotations
from mcp.types import Tool as OfferedTool

from interfaces.mcp import wording
from interfaces.mcp.tools import agents, catalogue, installs, reviews
from marketplace import access
from search.reads import most_common

TOOLS = {
    name: replace(tool, operation_id=tool.operation_id or name)
    for part in (catalogue, agents, installs, reviews)
    for name, tool in part.TOOLS.items()
}
MAX_CATEGORIES = 50  # from so many on, a description names none
KINDS = {"search_skills": "skill", "search_personas": "persona"}
OFFERED = [
    OfferedTool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=ToolAnnotations(
            read_only_hint=tool.operation.reads,
            idempotent_hint=tool.is_idempotent,
            destructive_hint=tool.is_destructive,
            open_world_hint=False,
        ),
    )
    for name, tool in TOOLS.items()
]


@access.for_everyone
def list_tools(_request, _params):
    return ListToolsResult(
        tools=[described(tool, TOOLS[tool.name]) for tool in OFFERED],
        ttl_ms=60 * 60 * 1000,
        cache_scope="public",
    )


def described(offered, tool):
    """The tool as it is described here and now."""
    offered = wording.described(offered, needs_token=tool.operation.needs_token)
    return with_categories(offered) if offered.name in KINDS and access.is_public() else offered


def with_categories(tool):
    """The tool with the categories of what it searches in its description (contract 22.5)."""
    facets = most_common(KINDS[tool.name], ["category"]).value
    categories = [value for _, value, _ in facets]
    if not 0 < len(categories) < MAX_CATEGORIES:
        return tool
    names = ", ".join(json.dumps(category, ensure_ascii=False) for category in categories)
    description = f"{tool.description} The categories are {names}."
    return tool.model_copy(update={"description": description})
