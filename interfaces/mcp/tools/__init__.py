"""The tools: what each request of the API is called in MCP, and when an agent should use it."""

from interfaces.mcp.tools import agents, catalogue, installs, reviews

TOOLS = {**catalogue.TOOLS, **agents.TOOLS, **installs.TOOLS, **reviews.TOOLS}
