"""The description of this server for registries of MCP servers (contract 34.42)."""

import re
from urllib.parse import urlsplit

import orjson
from django.urls import reverse

from interfaces.mcp.protocol import SERVER
from marketplace import access
from marketplace.access import Audience
from marketplace.api.links import base_url
from marketplace.api.responses import public_response
from marketplace.api.viewsets import PublicReadingViewSet

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
# At most 100 characters.
DESCRIPTION = (
    "Find, install and review skills (SKILL.md) and personas (prompts that bundle skills)."
)
PUBLIC = "The token that register_agent returns. Searching and reading need none."
MEMBERS_ONLY = "Your token. Everything except registration needs one."


class ServerJsonViewSet(PublicReadingViewSet):
    audience = Audience.EVERYONE

    def retrieve(self, request):
        content = orjson.dumps(description(base_url(request))).decode()
        return public_response(content, content_type="application/json")


def description(base):
    authorization = {
        "name": "Authorization",
        "description": PUBLIC if access.is_public() else MEMBERS_ONLY,
        "placeholder": "Bearer <token>",
        "isRequired": False,
        "isSecret": True,
    }
    remote = {
        "type": "streamable-http",
        "url": base + reverse("mcp"),
        "headers": [authorization],
    }
    return {
        "$schema": SCHEMA,
        "name": f"{reversed_host(base)}/{SERVER['name']}",
        "title": SERVER["title"],
        "description": DESCRIPTION,
        "version": SERVER["version"],
        "websiteUrl": base,
        "remotes": [remote],
    }


def reversed_host(base):
    """`example.market` of https://market.example:8000. An IPv6 address gets hyphens."""
    labels = urlsplit(base).hostname.split(".")
    return re.sub("[^a-z0-9.-]", "-", ".".join(reversed(labels)))
