"""Lists and gets skills with FastMCP's client: python fastmcp_skills.py URL '[uri, …]' [token]

Prints {uri: number of files} of what is listed, and of what the URIs name.
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.skills.client import SkillsClientExtension


async def main(url, uris, token=None):
    async with Client(url, auth=token, extensions=[SkillsClientExtension()]) as client:
        listed = await client.list_skills()
        named = [await client.get_skill(uri) for uri in json.loads(uris)]
    files = {skill.uri: len(skill.resources) for skill in [*listed, *named]}
    sys.stdout.write(json.dumps(files))


asyncio.run(main(*sys.argv[1:]))
