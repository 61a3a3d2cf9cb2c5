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
