"""The Model Context Protocol at /mcp: the API's requests as tools, for agents that speak MCP."""
