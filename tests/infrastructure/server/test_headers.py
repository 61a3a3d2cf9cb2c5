"""Header values that would take Python seconds to read do not reach the application."""

import pytest
from django.http import parse_cookie

from infrastructure.server import headers
from infrastructure.server.requests import Request

HOST = ("HOST", "a")
SLOW = 'a="' + "\\" * 8000 + '"'


def checked(*fields):
    read, _ = Request.checked((1, 1), "/", [HOST, *fields])
    return read


@pytest.mark.contract("24.8")
@pytest.mark.parametrize(
    ("lines", "cookies"),
    [
        (["staff=1"], {"staff": "1"}),
        (["staff=1; operator=2:ab"], {"staff": "1", "operator": "2:ab"}),
        ([f"staff=1; {SLOW}; operator=2"], {"staff": "1", "operator": "2"}),
        ([SLOW] * 7, {}),
        (["staff=1", "operator=2"], {"staff": "1", "operator": "2"}),
        (["a=" + "b" * 4090 + "; staff=1; c=d"], {"staff": "1", "c": "d"}),
        (["a=1;" * 2000 + "staff=1"], {"a": "1"}),
    ],
    ids=["one", "two", "between others", "seven lines", "two lines", "a long one", "many"],
)
def test_cookies_are_one_short_line_without_quotes(lines, cookies):
    [host, (name, value)] = checked(*(("COOKIE", line) for line in lines))

    assert (host, name) == (HOST, "COOKIE")
    assert len(value) <= headers.MAX_COOKIES
    assert parse_cookie(value) == cookies


@pytest.mark.contract("24.8")
@pytest.mark.parametrize(("name", "most"), headers.MAX_VALUES.items())
def test_a_long_value_counts_as_none(name, most):
    other = ("X", "x" * 8000)

    assert checked(other, (name, "a" * most)) == [HOST, other, (name, "a" * most)]
    assert checked(other, (name, "a" * (most + 1))) == [HOST, other]
    assert checked(other, (name, "a" * most), (name, "a")) == [HOST, other]


def test_python_is_slow_if_its_cookies_are(monkeypatch):
    monkeypatch.setattr(headers, "seconds_for", lambda cookie: len(cookie) / 1_000_000)
    assert not headers.is_python_slow()

    monkeypatch.setattr(headers, "seconds_for", lambda cookie: len(cookie) ** 2 / 100_000_000)
    assert headers.is_python_slow()
