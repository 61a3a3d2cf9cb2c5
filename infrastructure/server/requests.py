"""The rules of HTTP/1.1 that gunicorn's parser leaves to its application."""

from urllib.parse import urlsplit

from gunicorn.http import message
from gunicorn.http.errors import InvalidHeader, InvalidRequestLine


class Request(message.Request):
    def parse(self, unreader):
        rest = super().parse(unreader)
        names = {name for name, _ in self.headers}
        if self.version >= (1, 1) and "HOST" not in names:
            raise InvalidHeader("Host is missing")  # RFC 9112, 3.2
        if "://" in self.uri and not self.uri.startswith("/"):
            self.replace_host()
        # RFC 9110, 7.6.1. gunicorn knows `close` only as the header's whole value.
        if "CONNECTION" in names and "close" in self.connection_options():
            self.force_close()
        return rest

    def replace_host(self):
        """The authority of an absolute target takes the place of `Host` (RFC 9112, 3.2.2)."""
        host = urlsplit(self.uri).netloc
        if not host:
            raise InvalidRequestLine(self.uri)
        others = [field for field in self.headers if field[0] != "HOST"]
        self.headers = [*others, ("HOST", host)]

    def connection_options(self):
        values = (value for name, value in self.headers if name == "CONNECTION")
        return {option.strip(" \t").lower() for value in values for option in value.split(",")}
