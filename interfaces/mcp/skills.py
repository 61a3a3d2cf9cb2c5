"""Skills over MCP (SEP-2640): the extension `io.modelcontextprotocol/skills`, and its resources.

A skill is its folder under `skill://skills/<slug>/`, with the bytes that the API serves; the
marketplace's own is `skill://agent-marketplace/`, where no slug can take its place. Clients check
every digest, so an entry holds nothing that changes while the files do not.

Without a token, the list has the marketplace's own skill. With one, it adds the skills of the
agent's manifest, in pinned versions. Any published skill can be read; in a members-only catalogue,
by members. Reading counts no download.
"""

import json
import re
from base64 import b64encode
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

from django.urls import reverse

from catalogue import reads
from catalogue.archives import SKILL_MD
from catalogue.exceptions import SkillNotFound, VersionNotFound
from catalogue.models import FileContent, Skill, SkillVersion
from catalogue.serializers.files import media_type
from catalogue.skill_md import MAX_NAME
from interfaces.mcp.api import call_api
from interfaces.mcp.folders import (
    CATALOGUE,
    MARKETPLACE,
    SCHEME,
    folder_of,
    listed_folder,
    own_folder,
    parts_of,
    unknown,
)
from interfaces.mcp.protocol import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MAX_FILE,
    TOO_LARGE,
    MCPError,
    argument,
)
from marketplace import access
from marketplace.api.exceptions import AuthenticationRequired, InsufficientScope

EXTENSION = "io.modelcontextprotocol/skills"
MARKDOWN = "text/markdown"
PAGE = 100
# Responses expire at once, so that a recall takes effect with the next request.
PUBLIC, PRIVATE = {"ttlMs": 0, "cacheScope": "public"}, {"ttlMs": 0, "cacheScope": "private"}
TEMPLATE = {
    "name": "skill",
    "title": "A file of a skill",
    "uriTemplate": f"{SCHEME}{CATALOGUE}/{{slug}}/{{+path}}",
    "description": "A published skill's SKILL.md, or any file of its folder, by its path. A slug "
    f"longer than {MAX_NAME} characters is followed by the name in its SKILL.md.",
}


@access.for_readers
def list_skills(request, params):
    folders, paging = page(request, params)
    return {"skills": [folder.entry() for folder in folders], **paging}


@access.for_readers
def get_skill(request, params):
    uri = argument(params, "uri", str)

    def entry_of(folder, path):
        if path != SKILL_MD or folder.frontmatter is None:
            raise unknown(uri)
        return folder.entry()

    return {"skill": with_folder(request, uri, entry_of), **scope_of(request)}


@access.for_readers
def list_resources(request, params):
    folders, paging = page(request, params)
    return {"resources": [resource_of(folder) for folder in folders], **paging}


def resource_of(folder):
    return {
        "uri": folder.uri_of(SKILL_MD),
        "name": folder.frontmatter["name"],
        "description": folder.frontmatter["description"],
        "mimeType": MARKDOWN,
        "size": folder.size,
    }


@access.for_everyone
def list_templates(_request, _params):
    return {"resourceTemplates": [TEMPLATE], **PUBLIC}


@access.for_readers
def read_resource(request, params):
    uri = argument(params, "uri", str)
    contents = with_folder(request, uri, partial(contents_of, uri))
    return {"contents": [contents], **scope_of(request)}


def scope_of(request):
    """The cache scope of the response to a URI: agents may have pinned different versions."""
    return PRIVATE if "HTTP_AUTHORIZATION" in request.META else PUBLIC


def contents_of(uri, folder, path):
    if path == SKILL_MD:
        return {"uri": uri, "mimeType": MARKDOWN, "text": folder.head}
    file = next((file for file in folder.files if file["path"] == path), None)
    if file is None:
        raise unknown(uri)
    if file["size"] > MAX_FILE:
        raise MCPError(INVALID_PARAMS, TOO_LARGE)
    data, content = folder.read(file), {"uri": uri, "mimeType": media_type(file)}
    if file["is_text"]:
        return {**content, "text": data.decode()}
    return {**content, "blob": b64encode(data).decode()}


def page(request, params):
    """The folders of a page of the list, and the fields that say what follows and who may cache."""
    cursor = argument(params, "cursor", str | None)
    if cursor is not None and not re.fullmatch("[0-9]{1,9}", cursor):
        raise MCPError(INVALID_PARAMS, "cursor is invalid")
    start = int(cursor or 0)
    numbers, scope = skills_for(request)
    page_slugs = [None, *numbers][start : start + PAGE]
    folders = folders_of({slug: numbers[slug] for slug in page_slugs if slug})
    listed = [
        own_folder(request) if slug is None else folders[slug]
        for slug in page_slugs
        if slug is None or slug in folders
    ]
    more = {"nextCursor": str(start + PAGE)} if start + PAGE <= len(numbers) else {}
    return [folder for folder in listed if folder.frontmatter], more | scope


def folders_of(numbers):
    """The folders, by slug, of skills with the numbers of versions that are pinned, or None."""
    pinned = {slug: number for slug, number in numbers.items() if number}
    rows = Skill.objects.published().filter(slug__in=numbers.keys() - pinned.keys())
    folders = {skill.slug: listed_folder(skill) for skill in rows.with_head()}
    versions = SkillVersion.objects.readable().numbered(pinned)
    texts = FileContent.objects.of({"digest": version.skill_md_digest} for version in versions)
    for version in versions:
        version.text = texts[version.skill_md_digest].decode()
        folders[version.slug] = folder_of(version)
    return folders


def skills_for(request):
    """The skills after the marketplace's own in the list, and who may cache it.

    They are `{slug: number of the pinned version, or None}`. A token without the scope gets an
    error and not the public list, which a client would take for the agent's.
    """
    if "HTTP_AUTHORIZATION" not in request.META:
        return {}, PUBLIC
    manifest, refusal = read_manifest(request)
    if refusal:
        raise MCPError(INVALID_PARAMS, refusal)
    return manifest.numbers, PRIVATE


def pinned_number(request, slug):
    """The number of the version that the agent has pinned, or None.

    A token that may not read the manifest reads what everyone can read. Raises
    VersionNotFound for a pinned version that staff have recalled.
    """
    if "HTTP_AUTHORIZATION" not in request.META:
        return None
    manifest, _ = read_manifest(request)
    if slug in manifest.recalled and slug not in manifest.numbers:
        raise VersionNotFound
    return manifest.numbers.get(slug)


class OwnSkills(NamedTuple):
    """An agent's skills as `{slug: number of the pinned version, or None}`, and recalled slugs."""

    numbers: dict
    recalled: set


def read_manifest(request):
    """The agent's OwnSkills, and the error if the request was refused."""
    response = call_api(request, "GET", reverse("manifest-manifest"), query=[("content", "false")])
    data = json.loads(response.content)
    if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise MCPError(INTERNAL_ERROR, data["error"], status=response.status_code)
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        return OwnSkills({}, set()), data["error"]
    numbers = {row["slug"]: row["number"] if row["pinned"] else None for row in data["skills"]}
    recalled = {
        row["slug"] for row in data["advisories"] if row["kind"] == "skill" and row["number"]
    }
    return OwnSkills(numbers, recalled), None


def with_folder(request, uri, use):
    """What `use` makes of the folder and the path in it that a URI names."""
    parts = parts_of(uri)
    if parts[0] == MARKETPLACE:
        return use(own_folder(request), "/".join(parts[1:]))
    if parts[0] != CATALOGUE or len(parts) < 2:
        raise unknown(uri)
    check_reader(request)

    def use_skill(skill):
        folder = folder_of(skill)
        above = parts_of(folder.uri)
        if parts[: len(above)] != above:
            raise unknown(uri)
        return use(folder, "/".join(parts[len(above) :]))

    try:
        number = pinned_number(request, parts[1])
        if number is not None:
            return reads.skill_versions.one(parts[1], str(number), use_skill).value
        return reads.with_skill(parts[1], use_skill)
    except (SkillNotFound, VersionNotFound) as error:
        raise unknown(uri) from error


def check_reader(request):
    """Raise MCPError with the API's sentence where this request may not read the catalogue."""
    try:
        access.check_request(request)
    except InsufficientScope as error:
        raise MCPError(INVALID_PARAMS, str(error.detail)) from error
    except access.REFUSALS as error:
        raise MCPError(INVALID_PARAMS, AuthenticationRequired.default_detail) from error
