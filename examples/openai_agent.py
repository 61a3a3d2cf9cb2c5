# /// script
# dependencies = ["openai-agents==0.24.0"]
# ///
"""OpenAI Agents SDK: give an agent the marketplace's tools.

Run:  uv run openai_agent.py http://127.0.0.1:8000 "Which skill extracts tables from a PDF?"
Without OPENAI_API_KEY it calls one tool itself instead of asking a model.
With MARKETPLACE_TOKEN set, the tools can also install and review.
"""

import asyncio
import os
import sys

from agents import Agent, Runner
from agents.mcp import MCPServerStreamableHttp

token = os.environ.get("MARKETPLACE_TOKEN")
headers = {"Authorization": f"Bearer {token}"} if token else {}


async def main(base, question):
    params = {"url": f"{base}/mcp?tools=core", "headers": headers, "timeout": 30}
    async with MCPServerStreamableHttp(params, client_session_timeout_seconds=30) as marketplace:
        agent = Agent("Librarian", mcp_servers=[marketplace])
        if "OPENAI_API_KEY" in os.environ:
            print((await Runner.run(agent, question)).final_output)
            return
        tools = await marketplace.list_tools()
        print("Tools:", ", ".join(tool.name for tool in tools))
        result = await marketplace.call_tool("search_skills", {"query": question})
        print(result.content[0].text)


asyncio.run(main(sys.argv[1].rstrip("/"), sys.argv[2]))
