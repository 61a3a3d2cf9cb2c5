from catalogue.serializers.entries import DeprecationSerializer
from catalogue.serializers.fields import (
    KINDS,
    PERSONA_SLUG,
    PERSONA_TITLE,
    BytesField,
    ContextTokensField,
    DescriptionField,
    EntrySlugField,
    KindField,
    PathField,
    TitleField,
    VersionField,
)
from catalogue.serializers.files import (
    OTHER_FILE,
    TEXT_FILE,
    FileSerializer,
    files_address,
    media_type,
)
from catalogue.serializers.personas import (
    PersonaDetailSerializer,
    PersonaIdSerializer,
    PersonaSerializer,
)
from catalogue.serializers.skills import (
    BundlingPersonaSerializer,
    SkillDetailSerializer,
    SkillIdSerializer,
    SkillSerializer,
)

__all__ = [
    "KINDS",
    "OTHER_FILE",
    "PERSONA_SLUG",
    "PERSONA_TITLE",
    "TEXT_FILE",
    "BundlingPersonaSerializer",
    "BytesField",
    "ContextTokensField",
    "DeprecationSerializer",
    "DescriptionField",
    "EntrySlugField",
    "FileSerializer",
    "KindField",
    "PathField",
    "PersonaDetailSerializer",
    "PersonaIdSerializer",
    "PersonaSerializer",
    "SkillDetailSerializer",
    "SkillIdSerializer",
    "SkillSerializer",
    "TitleField",
    "VersionField",
    "files_address",
    "media_type",
]
