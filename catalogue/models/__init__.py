from catalogue.models.changes import Change, Feed
from catalogue.models.entries import (
    IS_PUBLISHED,
    PUBLISHED,
    RATING_OR_ZERO,
    TITLE_AND_SLUG_WORDS,
    TITLE_WITHOUT_CASE,
    Entry,
    Status,
    is_slug,
    successor_slug,
)
from catalogue.models.files import FileContent, content_digest
from catalogue.models.imports import ImportRun
from catalogue.models.personas import FREE, Persona
from catalogue.models.search import (
    FacetCount,
    FacetCountDelta,
    PersonaPosting,
    SkillPosting,
    ZeroResultSearch,
)
from catalogue.models.skills import FILE_TEXT, Skill

__all__ = [
    "FILE_TEXT",
    "FREE",
    "IS_PUBLISHED",
    "PUBLISHED",
    "RATING_OR_ZERO",
    "TITLE_AND_SLUG_WORDS",
    "TITLE_WITHOUT_CASE",
    "Change",
    "Entry",
    "FacetCount",
    "FacetCountDelta",
    "Feed",
    "FileContent",
    "ImportRun",
    "Persona",
    "PersonaPosting",
    "Skill",
    "SkillPosting",
    "Status",
    "ZeroResultSearch",
    "content_digest",
    "is_slug",
    "successor_slug",
]
