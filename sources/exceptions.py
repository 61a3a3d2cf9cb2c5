from importing.reports import reason_of


class SourceFails(Exception):
    """A source cannot be synced. The message is one sentence that staff read (contract 30)."""


class RefIsGone(SourceFails):
    """The repository responds, but it lacks the source's ref."""


class DiskFails(SourceFails):
    """The disk of the clock process refuses a file, because it is full, for example."""

    def __init__(self, error):
        super().__init__(f"A temporary file cannot be written: {reason_of(error)}.")


class Interrupted(Exception):
    """Staff have paused or changed a source during a run, or another one has begun.

    The run ends without a result.
    """
