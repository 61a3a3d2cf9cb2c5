"""How agents and people come in who do not speak the API: MCP, Agent Skills, OpenAPI, pages."""
