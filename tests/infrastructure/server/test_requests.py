"""The rules of HTTP/1.1 that gunicorn's parser leaves to its application."""

import pytest

from infrastructure.server.gunicorn_internals import InvalidHeader, InvalidRequestLine
from infrastructure.server.requests import Request

HOST = ("HOST", "a")


def test_a_request_is_left_as_it_is():
    headers = [("ACCEPT", "*/*"), HOST, ("CONNECTION", "keep-alive")]

    assert Request.checked((1, 1), "/x", headers) == (headers, False)


def test_only_http_1_0_needs_no_host():
    assert Request.checked((1, 0), "/x", []) == ([], False)
    with pytest.raises(InvalidHeader, match="Host is missing"):
        Request.checked((1, 1), "/x", [])


@pytest.mark.parametrize(
    ("target", "host"),
    [
        ("http://b/x", "b"),
        ("http://b:8000/x?y", "b:8000"),
        ("/x?next=http://b/", "a"),
        ("//b/x", "a"),
    ],
)
def test_an_absolute_target_names_the_host(target, host):
    headers, _ = Request.checked((1, 1), target, [HOST, ("ACCEPT", "*/*")])

    assert sorted(headers) == [("ACCEPT", "*/*"), ("HOST", host)]


def test_an_absolute_target_without_a_host_is_refused():
    with pytest.raises(InvalidRequestLine):
        Request.checked((1, 1), "http:///x", [HOST])


@pytest.mark.parametrize(
    ("values", "is_last"),
    [
        (["close"], True),
        (["Close"], True),
        (["keep-alive, \tclose"], True),
        (["keep-alive", "close"], True),
        (["closed"], False),
        (["keep-alive"], False),
        ([], False),
    ],
)
def test_close_may_be_one_of_several_options(values, is_last):
    headers = [HOST, *(("CONNECTION", value) for value in values)]

    assert Request.checked((1, 1), "/x", headers) == (headers, is_last)
