"""Agent Skills discovery, for the `skills` CLI (npm) and other clients of that convention.

The CLI downloads every skill of an index, even to install one. So the index of the marketplace
holds its own skill alone; each skill and each persona has an index below its page. Nothing here
counts as a download: only an agent's install does.
"""

import orjson
from django.urls import reverse
from drf_spectacular.utils import extend_schema

from catalogue import reads
from catalogue.exceptions import SkillNotFound
from catalogue.frontmatter import read_frontmatter
from catalogue.models import content_digest
from catalogue.serializers.fields import SkillMdField
from catalogue.skill_md import plain
from installs.exceptions import PersonaRequiresPayment
from interfaces.guides.views import guide
from marketplace.api.responses import public_response
from marketplace.api.viewsets import CatalogueViewSet

SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"


class DiscoveryViewSet(CatalogueViewSet):
    actions_for_people = ["skill_file"]

    def marketplace(self, request):
        text = guide("skill.md", request)
        return index_response([file_entry("/skill.md", text, content_digest(text.encode()))])

    def skill(self, request, slug):
        skill, validator, _ = reads.skill(slug)
        return index_response([skill_entry(skill)], validator)

    def persona(self, request, slug):
        """The skills that a persona bundles; a priced one is refused as its install is."""
        (persona, skills), validator, _ = reads.bundle(slug)
        if not persona.is_free:
            raise PersonaRequiresPayment
        return index_response(map(skill_entry, skills), validator)

    @extend_schema(
        operation_id="get_skill_md",
        tags=["Catalogue"],
        summary="Download a SKILL.md",
        description="The SKILL.md. Save it in a folder with the skill's name. Every client that "
        "reads the format accepts its frontmatter.",
        responses={(200, "text/markdown"): SkillMdField, 404: SkillNotFound},
    )
    def skill_file(self, request, slug):
        skill, validator, _ = reads.skill(slug)
        content_type = "text/markdown; charset=utf-8"
        return public_response(skill.file_text, validator, content_type=content_type)


def index_response(entries, *validators):
    content = orjson.dumps({"$schema": SCHEMA, "skills": list(entries)})
    return public_response(content.decode(), *validators, content_type="application/json")


def skill_entry(skill):
    """A skill with files is an archive of its folder; its digest is that of the zip's bytes."""
    url = reverse("skill-md", args=[skill.slug])
    entry = file_entry(url, skill.file_text, skill.digest)
    if skill.files:
        url = reverse("skill-archive", args=[skill.slug])
        entry |= {"type": "archive", "url": url, "digest": skill.archive_digest}
    return entry


def file_entry(url, text, digest):
    fields = read_frontmatter(text)[0].fields
    return {
        "name": fields["name"],
        "type": "skill-md",
        "description": plain(fields["description"]),
        "url": url,
        "digest": digest,
    }
