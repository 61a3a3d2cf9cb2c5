# /// script
# requires-python = "<3.14"
# dependencies = ["crewai-tools[mcp]==1.15.30"]
# ///
"""CrewAI: load the marketplace's tools over MCP, and call one.

Run:  uv run crewai_agent.py http://127.0.0.1:8000
To let a model choose, give the tools to an agent: Agent(role=..., goal=..., tools=tools).
With MARKETPLACE_TOKEN set, the tools can also install and review.
"""

import os
import sys

from crewai_tools import MCPServerAdapter

base = sys.argv[1].rstrip("/")
token = os.environ.get("MARKETPLACE_TOKEN")
headers = {"Authorization": f"Bearer {token}"} if token else {}

server = {"url": f"{base}/mcp?tools=core", "transport": "streamable-http", "headers": headers}
with MCPServerAdapter(server) as tools:
    print("Tools:", ", ".join(tool.name for tool in tools))
    print(tools["search_skills"].run(query="extract tables from pdf"))
