# /// script
# dependencies = ["langchain-mcp-adapters==0.3.2"]
# ///
"""LangChain: load the marketplace's tools over MCP, and call one.

Run:  uv run langchain_agent.py http://127.0.0.1:8000
To let a model choose, add langchain: create_agent("openai:gpt-...", tools=tools).
With MARKETPLACE_TOKEN set, the tools can also install and review.
"""

import asyncio
import os
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient

token = os.environ.get("MARKETPLACE_TOKEN")
headers = {"Authorization": f"Bearer {token}"} if token else {}


async def main(base):
    connection = {"transport": "http", "url": f"{base}/mcp?tools=core", "headers": headers}
    tools = await MultiServerMCPClient({"marketplace": connection}).get_tools()
    print("Tools:", ", ".join(tool.name for tool in tools))
    search = next(tool for tool in tools if tool.name == "search_skills")
    [block, *_] = await search.ainvoke({"query": "extract tables from pdf"})
    print(block["text"])


asyncio.run(main(sys.argv[1].rstrip("/")))
