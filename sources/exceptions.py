class SourceFails(Exception):
    """A source cannot be synced. The message is one sentence that staff read (contract 30)."""


class RefIsGone(SourceFails):
    """The repository responds, but it lacks the source's ref."""
