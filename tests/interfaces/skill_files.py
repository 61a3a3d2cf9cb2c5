"""SKILL.md files as they are served, and as clients read them."""

import re

import yaml

INDEX = "/.well-known/agent-skills/index.json"


def file_of(client, slug):
    response = client.get(f"/api/v1/skills/{slug}/SKILL.md")
    assert response.status_code == 200, response.content
    return response.content.decode()


def problems(text, slug):
    """Reasons for clients to refuse a text: they need the folder's name and a description."""
    lines = re.match(
        "\ufeff?---\\s*?\n(.*?)^---\\s*?$", text.replace("\r", ""), re.DOTALL | re.MULTILINE
    )
    fields = yaml.safe_load(lines[1])
    has_description = isinstance(fields["description"], str) and fields["description"].strip()
    return [*([] if fields["name"] == slug else ["name"]), *([] if has_description else ["none"])]
