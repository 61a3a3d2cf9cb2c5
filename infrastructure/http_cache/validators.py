"""Cache validators: whether a cached response still shows what the database holds.

Nothing expires and no write announces itself. One small statement reads the versions of all rows
that a response shows (xmin and ctid), or for a ranking the catalogue version, so that what was
committed anywhere is in every response after it. In another history of the database the versions
repeat (infrastructure.replicas.history), so that no response outlives its own.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from infrastructure.replicas.reading import history, on_replica


@dataclass(frozen=True, slots=True)
class Validator:
    """A response is fresh for as long as `check()` returns what it has `seen`, in one history."""

    check: Callable[[], Any]
    seen: Any
    history: str | None = field(default_factory=history)

    @on_replica
    def is_fresh(self):
        return self.check() == self.seen and self.history in {None, history()}

    @classmethod
    def of(cls, check):
        """A validator of what `check` returns now; take it before the response is computed.

        None where `check` returns None, which means that the response cannot be cached.
        """
        seen = check()
        return None if seen is None else cls(check, seen)

    @classmethod
    def of_all(cls, parts):
        """The validator of a response with several parts; None where one of them has none."""
        if None in parts:
            return None
        if len(parts) == 1:
            return parts[0]
        histories = {part.history for part in parts} - {None}
        if len(histories) > 1:
            return None  # the database has failed over in between
        return cls(partial(check_all, parts), [part.seen for part in parts], *histories or [None])


class Read(NamedTuple):
    """What was read, the validator for it, and the `version` of which its ETag is made.

    Without a version that is what the validator has seen.
    """

    value: Any
    validator: Validator | None
    version: Any = None

    @classmethod
    def of(cls, query, **params):
        """The rows of a versioned query."""
        return cls.checked(query.select, query.versions, params)

    @classmethod
    def checked(cls, select, check, params, validators=()):
        """The rows of `select(**params)`, whose versions `check(**params)` reads once more.

        The validator includes those that the rows depend on besides.
        """
        rows, versions = select(**params)
        validator = Validator(partial(check, **params), versions)
        return cls(rows, Validator.of_all([*validators, validator]), versions)


def check_all(validators):
    return [validator.check() for validator in validators]


# For what changes only with a release or the configuration, which start a new process.
ALWAYS_FRESH = Validator(check=lambda: True, seen=True, history=None)
