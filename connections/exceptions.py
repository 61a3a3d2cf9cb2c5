class GrantRefused(Exception):
    """The reason why a code or a refresh token is refused, for the log: clients are not told."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class PageAnswered(Exception):
    """The person has answered this consent page before."""


class ClientGone(Exception):
    """The client was deleted, or staff blocked it, while the person read the consent page."""


class TooManyConnections(Exception):
    """The operator key has as many connections as it may have."""


class TooManyClients(Exception):
    """As many clients are registered as may be (contract 35.14)."""


class InvalidRedirectUri(Exception):
    """The sentence that says what to register instead."""


class InvalidMetadata(Exception):
    """The sentence that says what to register instead."""
