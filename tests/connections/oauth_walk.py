"""Signs in with the Python SDK and calls tools: python oauth_walk.py URL PORT

It speaks as oauth_walk.mjs does.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, urlsplit

import anyio
import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

URL, PORT = sys.argv[1], int(sys.argv[2])
METADATA = {"client_name": "The Python SDK", "redirect_uris": [f"http://127.0.0.1:{PORT}/callback"]}


def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


class Storage:
    tokens = client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


class CallbackHandler(BaseHTTPRequestHandler):
    queries = []

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Signed in.")
        if self.path.startswith("/callback"):
            self.queries.append(dict(parse_qsl(urlsplit(self.path).query)))

    def log_message(self, *_):
        pass


async def show(url):
    say(authorize=url)


async def called_back():
    with HTTPServer(("127.0.0.1", PORT), CallbackHandler) as server:
        while not CallbackHandler.queries:
            await anyio.to_thread.run_sync(server.handle_request)
    answer = CallbackHandler.queries.pop()
    return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])


async def main():
    metadata = OAuthClientMetadata(**METADATA)
    provider = OAuthClientProvider(URL, metadata, Storage(), show, called_back)
    async with (
        httpx2.AsyncClient(auth=provider, timeout=60) as http,
        Client(streamable_http_client(URL, http_client=http)) as client,
    ):
        async for line in anyio.wrap_file(sys.stdin):
            tool, arguments = json.loads(line)
            result = await client.call_tool(tool, arguments)
            say(result=result.content[0].text)
            # This client refreshes by the clock, and not after a 401.
            provider.context.token_expiry_time = 1


anyio.run(main)
