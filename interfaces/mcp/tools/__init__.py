"""The tools: what each request of the API is called in MCP, and when an agent should use it."""

from dataclasses import replace

from interfaces.mcp.tools import agents, catalogue, installs, reviews

TOOLS = {
    name: replace(tool, operation_id=tool.operation_id or name)
    for part in (catalogue, agents, installs, reviews)
    for name, tool in part.TOOLS.items()
}
