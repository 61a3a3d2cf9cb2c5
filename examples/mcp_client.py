# /// script
# dependencies = ["mcp==2.3.0"]
# ///
"""The official MCP client for Python: list the marketplace's tools, and search with one.

Run:  uv run mcp_client.py http://127.0.0.1:8000
Searching needs no token. With MARKETPLACE_TOKEN set, installing and reviewing work as well.
"""

import asyncio
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

token = os.environ.get("MARKETPLACE_TOKEN")
headers = {"Authorization": f"Bearer {token}"} if token else {}


async def main(base):
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{base}/mcp?tools=core", http_client=http)) as client,
    ):
        listed = await client.list_tools()
        print("Tools:", ", ".join(tool.name for tool in listed.tools))
        result = await client.call_tool("search_skills", {"query": "extract tables from pdf"})
        for skill in result.structured_content["results"][:3]:
            print(skill["slug"], "-", skill["title"])


asyncio.run(main(sys.argv[1].rstrip("/")))
