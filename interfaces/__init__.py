"""Other ways in than the API itself: OpenAPI, MCP, Agent Skills, the website, guides."""
