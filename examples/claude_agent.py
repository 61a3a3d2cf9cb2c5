# /// script
# dependencies = ["claude-agent-sdk==0.2.189"]
# ///
"""Claude Agent SDK: give an agent the marketplace's tools.

Run:  uv run claude_agent.py http://127.0.0.1:8000 "Which skill extracts tables from a PDF?"
Without ANTHROPIC_API_KEY it lists the tools that Claude Code loaded, and asks no model.
With MARKETPLACE_TOKEN set, the tools can also install and review.
"""

import asyncio
import os
import sys

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient

token = os.environ.get("MARKETPLACE_TOKEN")
headers = {"Authorization": f"Bearer {token}"} if token else {}


async def main(base, question):
    marketplace = {"type": "http", "url": f"{base}/mcp?tools=core", "headers": headers}
    options = ClaudeAgentOptions(
        mcp_servers={"marketplace": marketplace}, allowed_tools=["mcp__marketplace"]
    )
    async with ClaudeSDKClient(options) as claude:
        if "ANTHROPIC_API_KEY" in os.environ:
            await claude.query(question)
            async for message in claude.receive_response():
                print(message)
            return
        while (server := (await claude.get_mcp_status())["mcpServers"][0])["status"] == "pending":
            await asyncio.sleep(0.2)
        print(server["status"], ", ".join(tool["name"] for tool in server.get("tools", [])))


asyncio.run(main(sys.argv[1].rstrip("/"), sys.argv[2]))
