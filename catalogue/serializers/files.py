"""The files of a skill (contract 17.5)."""

from urllib.parse import quote

from catalogue.serializers.fields import BytesField, PathField
from catalogue.skill_md import name_of
from marketplace.api.exceptions import RangeNotSatisfiable
from marketplace.api.fields import ChoiceField, CountField, DigestField, UrlField
from marketplace.api.file_responses import Download
from marketplace.api.links import path_of
from marketplace.api.serializers import ResponseListSerializer, ResponseSerializer

TEXT_FILE, OTHER_FILE = "text/plain", "application/octet-stream"
# The responses of a Download in OpenAPI, whole or in part.
FILE = {(status, OTHER_FILE, TEXT_FILE): BytesField for status in (200, 206)}
ZIP = {(status, "application/zip"): BytesField for status in (200, 206)}
FILE[416] = ZIP[416] = RangeNotSatisfiable


def download_of(folder, file):
    content_type = media_type(file)
    if file["is_text"]:
        content_type += "; charset=utf-8"
    return Download(
        digest=file["digest"],
        size=file["size"],
        write=lambda output: folder.write_file(file, output),
        filename=file["path"].rpartition("/")[2],
        content_type=content_type,
        stored_as=file["digest"],
    )


def archive_of(folder):
    """A skill, or one of its versions, as a zip."""
    return Download(
        digest=folder.digest,
        size=folder.archive_size,
        write=folder.write_archive,
        filename=f"{name_of(folder)}.zip",
        content_type="application/zip",
        # The digest of a skill may equal that of one of its files.
        stored_as=f"{folder.digest}.zip",
    )


def files_address(skill):
    return f"{path_of('skill-detail', slug=skill.slug)}/files"


def version_files_address(version):
    """The address of a version's files, for any row with the slug and the number."""
    path = path_of("skill-version-detail", slug=version.slug, number=version.number)
    return f"{path}/files"


def media_type(file):
    """The media type to serve a file as: never one that a browser would run."""
    return TEXT_FILE if file["is_text"] else OTHER_FILE


class FileListSerializer(ResponseListSerializer):
    """The files of a skill, or of a row with its slug and files."""

    def represent(self, skill, context):
        address, query = self.place_of(skill) if skill.files else ("", "")
        files = (
            {**file, "address": f"{address}/{quote(file['path'])}{query.format(**file)}"}
            for file in skill.files
        )
        return super().represent(files, context)

    def place_of(self, skill):
        """The address of its files, and the query of each."""
        if getattr(skill, "is_pinned", False):
            return version_files_address(skill), ""
        return files_address(skill), "?digest={digest}"


class FileSerializer(ResponseSerializer):
    path = PathField()
    size = CountField(initial=1534, help_text="In bytes.")
    digest = DigestField()
    url = UrlField(
        source="address",
        initial="https://marketplace.example/api/v1/skills/pdf-tables/files/scripts/tables.py"
        f"?digest={DigestField.initial}",
        help_text="The URL of its bytes. It contains their digest or the number of a version, so "
        "the bytes never change.",
    )

    class Meta:
        list_serializer_class = FileListSerializer


class MediaTypeField(ChoiceField):
    to_representation = staticmethod(media_type)


class SkillFileSerializer(FileSerializer):
    mediaType = MediaTypeField([TEXT_FILE, OTHER_FILE], source="*")
