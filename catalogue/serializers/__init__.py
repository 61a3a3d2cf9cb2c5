from catalogue.serializers.changes import ChangeSerializer
from catalogue.serializers.entries import (
    CONTEXT_TOKENS_SCHEMA,
    DEPRECATION_SCHEMA,
    DESCRIPTION_SCHEMA,
    DIGEST_SCHEMA,
    KIND_SCHEMA,
    PERSONA_SLUG_SCHEMA,
    PERSONA_TITLE_SCHEMA,
    SLUG_SCHEMA,
    TITLE_SCHEMA,
    VERSION_SCHEMA,
    deprecation_of,
)
from catalogue.serializers.facets import FacetsSerializer
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
    "DEPRECATION_SCHEMA",
    "DESCRIPTION_SCHEMA",
    "DIGEST_SCHEMA",
    "FILE_SCHEMA",
    "KIND_SCHEMA",
    "OTHER_FILE",
    "PATH_SCHEMA",
    "PERSONA_SLUG_SCHEMA",
    "PERSONA_TITLE_SCHEMA",
    "SLUG_SCHEMA",
    "TEXT_FILE",
    "TITLE_SCHEMA",
    "VERSION_SCHEMA",
    "ChangeSerializer",
    "FacetsSerializer",
    "PersonaDetailSerializer",
    "PersonaSerializer",
    "SkillDetailSerializer",
    "SkillSerializer",
    "deprecation_of",
    "files_address",
    "files_of",
    "media_type",
]
