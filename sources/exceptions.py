class SourceFails(Exception):
    """Why a source cannot be synced, in one sentence that staff read (contract 30)."""


class RefIsGone(SourceFails):
    """The repository answers, and no longer has the source's ref."""
