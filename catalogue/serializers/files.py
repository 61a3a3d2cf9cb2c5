"""The files of a skill (lifecycle 15)."""

from urllib.parse import quote

from django.urls import reverse

from catalogue.serializers.entries import DIGEST_SCHEMA
from marketplace.api.schemas import COUNT, TEXT, URL, component, described, like, object_schema

TEXT_FILE, OTHER_FILE = "text/plain", "application/octet-stream"
BYTES_SCHEMA = component(
    "Bytes", {"type": "string", "format": "binary", "examples": ["print('tables')"]}
)
PATH_SCHEMA = like(TEXT, "scripts/tables.py")
FILE_FIELDS = {
    "path": PATH_SCHEMA,
    "size": like(described(COUNT, "In bytes."), 1534),
    "digest": DIGEST_SCHEMA,
    "url": like(
        described(URL, "Its bytes. They never change: the URL carries the digest."),
        "https://marketplace.example/api/v1/skills/pdf-tables/files/scripts/tables.py"
        f"?digest={DIGEST_SCHEMA['examples'][0]}",
    ),
}
FILE_SCHEMA = component("File", object_schema(FILE_FIELDS))


def files_of(skill, base):
    """The files of a skill, or of a row with its slug and files, without their media types."""
    address = base + files_address(skill) if skill.files else ""
    return [
        {
            "path": file["path"],
            "size": file["size"],
            "digest": file["digest"],
            "url": f"{address}/{quote(file['path'])}?digest={file['digest']}",
        }
        for file in skill.files
    ]


def files_address(skill):
    return f"{reverse('skill-detail', args=[skill.slug])}/files"


def media_type(file):
    """What a file is served as: never as what a browser would run."""
    return TEXT_FILE if file["is_text"] else OTHER_FILE
