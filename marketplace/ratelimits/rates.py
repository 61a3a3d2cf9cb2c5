import re
from typing import NamedTuple

PATTERN = re.compile(r"(\d{1,9})/([1-9]\d{0,3})?([smhd])")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
UNITS = {"s": "second", "m": "minute", "h": "hour", "d": "day"}


class Rate(NamedTuple):
    """So many requests in a window of so many seconds, as django-ratelimit takes it."""

    limit: int
    window: int

    @classmethod
    def parse(cls, text):
        """`20/h` is 20 in an hour, `5/10m` 5 in ten minutes. Raises ValueError."""
        limit, length, unit = parts_of(text)
        return cls(limit, length * SECONDS[unit])


def in_words(text):
    """`20/h` as "20 requests per hour", `5/10m` as "5 requests per 10 minutes"."""
    limit, length, unit = parts_of(text)
    period = UNITS[unit] if length == 1 else f"{length} {UNITS[unit]}s"
    return f"{limit} request{'' if limit == 1 else 's'} per {period}"


def parts_of(text):
    match = PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a rate such as 20/h")
    return int(match[1]), int(match[2] or 1), match[3]
