"""The tools: for each request of the API, its name in MCP and when an agent should use it."""
