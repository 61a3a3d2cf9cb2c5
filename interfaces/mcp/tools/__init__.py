"""The tools: what each request of the API is called in MCP, and when an agent should use it."""
