from sources.models.clock import Clock
from sources.models.files import TAKEN_BACK, UNREADABLE, SourceFile
from sources.models.sources import MAX_PATH, ReviewedIn, Source, SourceKind, SourceState

__all__ = [
    "MAX_PATH",
    "TAKEN_BACK",
    "UNREADABLE",
    "Clock",
    "ReviewedIn",
    "Source",
    "SourceFile",
    "SourceKind",
    "SourceState",
]
