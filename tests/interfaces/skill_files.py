"""SKILL.md files as they are served, checked by the reference implementation of the format."""

from skills_ref.parser import parse_frontmatter
from skills_ref.validator import validate_metadata

INDEX = "/.well-known/agent-skills/index.json"


def file_of(client, slug):
    response = client.get(f"/api/v1/skills/{slug}/SKILL.md")
    assert response.status_code == 200, response.content
    return response.content.decode()


def problems(text, slug):
    fields, _ = parse_frontmatter(text)
    return validate_metadata(fields) + ([] if fields["name"] == slug else ["its name"])
