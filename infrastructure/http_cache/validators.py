"""Cache validators: whether a cached response still shows the state of the database.

Nothing expires, and writes invalidate nothing. One small statement reads the versions (xmin and
ctid) of all rows that a response shows, or for a ranking the catalogue version. So every response
shows everything that was committed before it. In another history of the database, versions repeat
(infrastructure.replicas.history), so a response is valid in its own history only.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from infrastructure.replicas.reading import history, on_replica


@dataclass(frozen=True, slots=True)
class Validator:
    """A response is fresh while `check()` returns what it has `seen`, in the same history."""

    check: Callable[[], Any]
    seen: Any
    history: str | None = field(default_factory=history)

    @on_replica
    def is_fresh(self):
        return self.check() == self.seen and self.history in {None, history()}

    @classmethod
    def of(cls, check):
        """A validator of what `check` returns now. Create it before you compute the response.

        None if `check` returns None, which means that the response cannot be cached.
        """
        seen = check()
        return None if seen is None else cls(check, seen)

    @classmethod
    def of_all(cls, parts):
        """The validator of a response with several parts; None if one part has none."""
        if not parts:
            return ALWAYS_FRESH
        if None in parts:
            return None
        if len(parts) == 1:
            return parts[0]
        histories = {part.history for part in parts} - {None}
        if len(histories) > 1:
            return None  # the database failed over in between
        return cls(partial(check_all, parts), [part.seen for part in parts], *histories or [None])


class Read(NamedTuple):
    """A value, its validator, and the `version` from which its ETag is made.

    Without a version, the ETag is made from what the validator has seen.
    """

    value: Any
    validator: Validator | None
    version: Any = None

    @classmethod
    def of(cls, query, **params):
        """The rows of a versioned query."""
        return cls.fetch(query.select, query.versions, params)

    @classmethod
    def fetch(cls, select, check, params, validators=()):
        """The rows of `select(**params)`; `check(**params)` reads their versions again.

        The validator includes the `validators` of everything else that the rows depend on.
        """
        rows, versions = select(**params)
        validator = Validator(partial(check, **params), versions)
        return cls(rows, Validator.of_all([*validators, validator]), versions)


def check_all(validators):
    return [validator.check() for validator in validators]


# For responses that change only with a release or the configuration, which restart the process.
ALWAYS_FRESH = Validator(check=lambda: True, seen=True, history=None)
