from catalogue.serializers.changes import ChangePageSerializer, ChangeSerializer
from catalogue.serializers.entries import DeprecationSerializer
from catalogue.serializers.facets import FacetsSerializer
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
    PersonaPageSerializer,
    PersonaSerializer,
)
from catalogue.serializers.skills import (
    BundlingPersonaSerializer,
    SkillDetailSerializer,
    SkillIdSerializer,
    SkillPageSerializer,
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
    "ChangePageSerializer",
    "ChangeSerializer",
    "ContextTokensField",
    "DeprecationSerializer",
    "DescriptionField",
    "EntrySlugField",
    "FacetsSerializer",
    "FileSerializer",
    "KindField",
    "PathField",
    "PersonaDetailSerializer",
    "PersonaIdSerializer",
    "PersonaPageSerializer",
    "PersonaSerializer",
    "SkillDetailSerializer",
    "SkillIdSerializer",
    "SkillPageSerializer",
    "SkillSerializer",
    "TitleField",
    "VersionField",
    "files_address",
    "media_type",
]
