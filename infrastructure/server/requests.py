"""The rules of HTTP/1.1 that gunicorn's parser leaves to its application."""

from urllib.parse import urlsplit

from infrastructure.server import gunicorn_internals as gunicorn
from infrastructure.server.headers import readable


class Request(gunicorn.BaseRequest):
    @staticmethod
    def checked(version, target, headers):
        """The headers for the application, and whether the client closes after this request."""
        names = {name for name, _ in headers}
        if version >= (1, 1) and "HOST" not in names:
            raise gunicorn.InvalidHeader("Host is missing")  # RFC 9112, 3.2
        if "://" in target and not target.startswith("/"):
            headers = with_host_of(target, headers)
        # RFC 9110, 7.6.1. gunicorn recognizes `close` only as the header's whole value.
        return readable(headers), "CONNECTION" in names and "close" in connection_options(headers)


def with_host_of(target, headers):
    """The authority of an absolute target replaces `Host` (RFC 9112, 3.2.2)."""
    host = urlsplit(target).netloc
    if not host:
        raise gunicorn.InvalidRequestLine(target)
    return [*(field for field in headers if field[0] != "HOST"), ("HOST", host)]


def connection_options(headers):
    values = (value for name, value in headers if name == "CONNECTION")
    return {option.strip(" \t").lower() for value in values for option in value.split(",")}
