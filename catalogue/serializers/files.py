"""The files of a skill (contract 17.5)."""

from urllib.parse import quote

from django.urls import reverse

from catalogue.serializers.fields import PathField
from marketplace.api.fields import ChoiceField, CountField, DigestField, UrlField
from marketplace.api.serializers import ResponseListSerializer, ResponseSerializer

TEXT_FILE, OTHER_FILE = "text/plain", "application/octet-stream"


def files_address(skill):
    return f"{reverse('skill-detail', args=[skill.slug])}/files"


def media_type(file):
    """What a file is served as: never as what a browser would run."""
    return TEXT_FILE if file["is_text"] else OTHER_FILE


class FileListSerializer(ResponseListSerializer):
    """The files of a skill, or of a row with its slug and files."""

    def represent(self, skill, context):
        address = files_address(skill) if skill.files else ""
        files = (
            {**file, "address": f"{address}/{quote(file['path'])}?digest={file['digest']}"}
            for file in skill.files
        )
        return super().represent(files, context)


class FileSerializer(ResponseSerializer):
    path = PathField()
    size = CountField(initial=1534, help_text="In bytes.")
    digest = DigestField()
    url = UrlField(
        source="address",
        initial="https://marketplace.example/api/v1/skills/pdf-tables/files/scripts/tables.py"
        f"?digest={DigestField.initial}",
        help_text="Its bytes. They never change: the URL carries the digest.",
    )

    class Meta:
        list_serializer_class = FileListSerializer


class MediaTypeField(ChoiceField):
    to_representation = staticmethod(media_type)


class SkillFileSerializer(FileSerializer):
    mediaType = MediaTypeField([TEXT_FILE, OTHER_FILE], source="*")
