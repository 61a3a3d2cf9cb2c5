from catalogue.models.entries import (
    REFUSALS,
    TITLE_AND_SLUG_WORDS,
    TITLE_WITHOUT_CASE,
    Entry,
    Kind,
)
from catalogue.models.files import FileContent, content_digest
from catalogue.models.labels import (
    LABELS,
    MAX_LABELS,
    Spellings,
    in_nfc,
    label_key,
    labeled,
    spelled,
)
from catalogue.models.look_alikes import look_alike_finding, look_alikes
from catalogue.models.personas import FREE, MAX_BUNDLED, RATING_OR_ZERO, Persona
from catalogue.models.purges import Purge
from catalogue.models.querysets import REPOSITORY, SUBMITTED, successor_slug
from catalogue.models.skills import FILE_TEXT, Skill
from catalogue.models.status import IS_PUBLISHED, PUBLISHED, PUBLISHED_STATUS, Status
from catalogue.models.versions import MAX_NUMBER, PersonaVersion, SkillVersion
from catalogue.models.words import beginning_with, with_words, words_in, words_of
