"""Matchers, which compare a response with an expected one that leaves some values open."""

import re
from datetime import UTC, datetime, timedelta

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class ShortRepr:
    """Hypothesis prints its repr instead of every field of the dataclass."""

    def _repr_pretty_(self, printer, _cycle):
        printer.text(repr(self))


class StartsWith:
    """A text with this prefix; the contract does not fix the rest."""

    def __init__(self, beginning=""):
        self.beginning = beginning

    def __repr__(self):
        return f"<a text {self.beginning!r}…>"

    def accepts(self, value):
        return isinstance(value, str) and value.startswith(self.beginning) and value.strip() != ""


class Between:
    """A whole number of a range."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __repr__(self):
        return f"<{self.low} to {self.high}>"

    def accepts(self, value):
        return type(value) is int and self.low <= value <= self.high


class Opaque:
    """A text of a known shape; it keeps the first value that is seen."""

    def __init__(self, shape, seen=None):
        """`seen` holds the values of other texts, which this one must not repeat."""
        self.shape = re.compile(shape)
        self.seen = set() if seen is None else seen
        self.value = None

    def __repr__(self):
        return f"<{self.value or f'a new {self.shape.pattern}'}>"

    def __str__(self):
        assert self.value is not None, f"{self!r} has not been seen yet"
        return self.value

    def accepts(self, value):
        is_new = self.value is None and isinstance(value, str) and value not in self.seen
        if is_new and self.shape.fullmatch(value):
            self.seen.add(value)
            self.value = value
        return self.value is not None and value == self.value


class Interval:
    """The time that one step takes, from before its request until after its response."""

    def __init__(self):
        self.began, self.ended = datetime.now(UTC), None

    def end(self):
        self.ended = datetime.now(UTC)


class Timestamp:
    """A timestamp within an interval; it keeps the first value that is seen."""

    def __init__(self, interval, *, earliest=None, after=timedelta()):
        """`earliest` also accepts a timestamp from before the interval.

        A timestamp in the future is this long `after` the interval.
        """
        self.interval, self.text, self.after = interval, None, after
        self.earliest = (earliest or interval.began) + after

    def __repr__(self):
        return f"<{self.text or f'a timestamp since {self.earliest.isoformat()}'}>"

    def accepts(self, value):
        if self.text is None and isinstance(value, str) and TIMESTAMP.fullmatch(value):
            timestamp = datetime.fromisoformat(value)
            # Timestamps are cut, not rounded, to their millisecond.
            earliest = self.earliest - timedelta(milliseconds=1)
            latest = (self.interval.ended or datetime.now(UTC)) + self.after
            if earliest < timestamp <= latest:
                self.text = value
        return self.text is not None and value == self.text


def differences(expected, actual, where=""):
    """The differences between the two, one line per place; types and key sets count."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        if expected.keys() != actual.keys():
            return [f"{where or '.'}: keys {sorted(expected)}, got {sorted(actual)}"]
        return [
            line
            for key in expected
            for line in differences(expected[key], actual[key], f"{where}.{key}")
        ]
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [f"{where or '.'}: {len(expected)} of {expected}, got {len(actual)}: {actual}"]
        return [
            line
            for index, pair in enumerate(zip(expected, actual, strict=True))
            for line in differences(*pair, f"{where}[{index}]")
        ]
    if isinstance(expected, Between | StartsWith | Opaque | Timestamp):
        is_alike = expected.accepts(actual)
    else:
        # 1, 1.0 and true are equal in Python, but not on the wire.
        is_alike = type(expected) is type(actual) and expected == actual
    if is_alike:
        return []
    return [f"{where or '.'}: expected {repr(expected)[:500]}, got {repr(actual)[:500]}"]
