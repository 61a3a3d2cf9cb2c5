from catalogue.serializers.entries import (
    CONTEXT_TOKENS_SCHEMA,
    DESCRIPTION_SCHEMA,
    DIGEST_SCHEMA,
    PERSONA_SLUG_SCHEMA,
    PERSONA_TITLE_SCHEMA,
    SLUG_SCHEMA,
    TITLE_SCHEMA,
    VERSION_SCHEMA,
)
from catalogue.serializers.files import (
    BYTES_SCHEMA,
    FILE_SCHEMA,
    OTHER_FILE,
    PATH_SCHEMA,
    TEXT_FILE,
    files_address,
    files_of,
    media_type,
)
from catalogue.serializers.personas import PersonaDetailSerializer, PersonaSerializer
from catalogue.serializers.skills import SkillDetailSerializer, SkillSerializer

__all__ = [
    "BYTES_SCHEMA",
    "CONTEXT_TOKENS_SCHEMA",
    "DESCRIPTION_SCHEMA",
    "DIGEST_SCHEMA",
    "FILE_SCHEMA",
    "OTHER_FILE",
    "PATH_SCHEMA",
    "PERSONA_SLUG_SCHEMA",
    "PERSONA_TITLE_SCHEMA",
    "SLUG_SCHEMA",
    "TEXT_FILE",
    "TITLE_SCHEMA",
    "VERSION_SCHEMA",
    "PersonaDetailSerializer",
    "PersonaSerializer",
    "SkillDetailSerializer",
    "SkillSerializer",
    "files_address",
    "files_of",
    "media_type",
]
