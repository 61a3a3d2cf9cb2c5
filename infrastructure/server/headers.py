"""Headers without the values that Python or Django take long to read.

A request may have 64 KB of them. In cookies, `http.cookies` of Python before 3.11.10 and 3.12.6
takes quadratic time for a value in quotes (CVE-2024-7592): 15 seconds for all that fit. So does
Django for the parameters of a media type.
"""

from http.cookies import SimpleCookie
from itertools import accumulate
from time import perf_counter

MAX_COOKIES = 4096  # bytes of all cookies of a request
# Bytes of all values of a header together. With more, the request counts as one without it.
MAX_VALUES = {"CONTENT-TYPE": 512, "ACCEPT": 1024, "IF-NONE-MATCH": 4096}
SLOW = 0.005  # seconds; with the defect it takes 0.015, without it 0.0003
WARNING = (
    "Python's http.cookies is slow (CVE-2024-7592). The server drops the cookies that would stop "
    "it; upgrade Python to 3.11.10, 3.12.6 or newer when you can."
)


def readable(headers):
    """The headers `[(NAME, value)]` without the values that take long to read."""
    if any(name == "COOKIE" for name, _ in headers):
        headers = with_short_cookies(headers)
    if sum(len(value) for _, value in headers) > min(MAX_VALUES.values()):
        headers = [field for field in headers if not is_long(field[0], headers)]
    return headers


def with_short_cookies(headers):
    """One `Cookie` of at most 4 KiB, without values in quotes, which the server never sets.

    The longest are dropped first: those of the server are short, and other sites of its domain may
    have set many.
    """
    lines = (value for name, value in headers if name == "COOKIE")
    cookies = [text for line in lines for text in line.split(";") if '"' not in text]
    by_length = sorted(range(len(cookies)), key=lambda place: len(cookies[place]))
    ends = accumulate(len(cookies[place]) + 1 for place in by_length)
    kept = [place for place, end in zip(by_length, ends, strict=True) if end <= MAX_COOKIES]
    others = (field for field in headers if field[0] != "COOKIE")
    return [*others, ("COOKIE", ";".join(cookies[place] for place in sorted(kept)))]


def is_long(name, headers):
    most = MAX_VALUES.get(name)
    return most and sum(len(value) for other, value in headers if other == name) > most


def is_python_slow():
    """Measured, because distributions mend it without a new version of Python."""
    cookie = 'a="' + "\\" * 2000 + '"'
    return min(seconds_for(cookie) for _ in range(3)) > SLOW


def seconds_for(cookie):
    begun = perf_counter()
    SimpleCookie(cookie)
    return perf_counter() - begun
