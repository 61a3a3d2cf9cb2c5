"""Requests that violate HTTP itself, as bytes, each with the status of its one response."""

HOST = b"Host: localhost\r\n"
LINE = b"GET /api/v1/skills HTTP/1.1\r\n"
POST = (
    b"POST /api/v1/agents/register HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\n"
)
CHUNKED = b"Transfer-Encoding: chunked\r\n"
BODY = b"\r\n2\r\n{}\r\n0\r\n\r\n"


def chunks(*parts):
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


# Requests that never reach Django, with the status of gunicorn's own response.
UNREADABLE = {
    "a line of one word": (400, b"NONSENSE\r\n\r\n"),
    "HTTP/0.9": (400, b"GET /api/v1/skills\r\n\r\n"),
    "no target": (400, b"GET  HTTP/1.1\r\n" + HOST + b"\r\n"),
    "a target without a slash": (400, b"GET api/v1/skills HTTP/1.1\r\n" + HOST + b"\r\n"),
    "a raw byte in the target": (400, b"GET /api/v1/skills/\xff HTTP/1.1\r\n" + HOST + b"\r\n"),
    "a raw NUL in the target": (400, b"GET /api/v1/skills?q=\0 HTTP/1.1\r\n" + HOST + b"\r\n"),
    "lines that end in LF": (400, b"GET /api/v1/skills HTTP/1.1\nHost: localhost\n\n"),
    "a method in small letters": (400, b"get /api/v1/skills HTTP/1.1\r\n" + HOST + b"\r\n"),
    "a method of 21 letters": (400, b"A" * 21 + b" /api/v1/skills HTTP/1.1\r\n" + HOST + b"\r\n"),
    "HTTP/9.9": (400, b"GET /api/v1/skills HTTP/9.9\r\n" + HOST + b"\r\n"),
    "HTTP/2": (400, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "no HTTP": (400, b"GET /api/v1/skills SPDY/3\r\n" + HOST + b"\r\n"),
    "TLS": (400, b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + b"\0" * 99 + b"\r\n\r\n"),
    "a long request line": (414, b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n" + HOST + b"\r\n"),
    "no Host": (400, LINE + b"\r\n"),
    "no Host on any host": (400, b"GET /healthz HTTP/1.1\r\nX: 1\r\n\r\n"),
    "an absolute target and no Host": (400, b"GET http://localhost/ HTTP/1.1\r\nX: 1\r\n\r\n"),
    "an absolute target of no host": (400, b"GET http:///healthz HTTP/1.1\r\n" + HOST + b"\r\n"),
    "a target without an authority": (400, b"GET x:?://y HTTP/1.1\r\n" + HOST + b"\r\n"),
    "two Host headers": (400, LINE + HOST + HOST + b"\r\n"),
    "two Content-Types": (400, POST + b"Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}"),
    "a header without colon": (400, LINE + HOST + b"Nonsense\r\n\r\n"),
    "a header without name": (400, LINE + HOST + b": nonsense\r\n\r\n"),
    "a space in a name": (400, LINE + HOST + b"X Y: 1\r\n\r\n"),
    "a space after a name": (400, LINE + HOST + b"Authorization : Bearer x\r\n\r\n"),
    "a folded header": (400, LINE + HOST + b"X: 1\r\n  2\r\n\r\n"),
    "a NUL in a header": (400, LINE + HOST + b"X: a\0b\r\n\r\n"),
    "a CR in a header": (400, LINE + HOST + b"X: a\rb\r\n\r\n"),
    "a long header": (431, LINE + HOST + b"X: " + b"a" * 8200 + b"\r\n\r\n"),
    "too many headers": (431, LINE + HOST + b"X: 1\r\n" * 101 + b"\r\n"),
    "an unknown expectation": (417, POST + b"Expect: tea\r\nContent-Length: 2\r\n\r\n{}"),
    "two lengths": (400, POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
    "a negative length": (400, POST + b"Content-Length: -2\r\n\r\n{}"),
    "a length that is no number": (400, POST + b"Content-Length: two\r\n\r\n{}"),
    "a length in superscript": (400, POST + b"Content-Length: \xb2\r\n\r\n{}"),
    "a length of 5,000 digits": (400, POST + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}"),
    "chunks and a length": (400, POST + CHUNKED + b"Content-Length: 2\r\n" + BODY),
    "chunks twice": (400, POST + b"Transfer-Encoding: chunked, chunked\r\n" + BODY),
    "chunks in HTTP/1.0": (400, POST.replace(b"/1.1", b"/1.0") + CHUNKED + BODY),
    "an unknown coding": (400, POST + b"Transfer-Encoding: magic\r\n" + BODY),
    "a coding without chunks": (400, POST + b"Transfer-Encoding: gzip\r\n" + BODY),
    "a size that is no number": (400, POST + CHUNKED + b"\r\nzz\r\n{}\r\n0\r\n\r\n"),
    "a negative size": (400, POST + CHUNKED + b"\r\n-2\r\n{}\r\n0\r\n\r\n"),
    "no size": (400, POST + CHUNKED + b"\r\n\r\n{}\r\n0\r\n\r\n"),
    "a chunk that does not end": (400, POST + CHUNKED + b"\r\n2\r\n{}XX0\r\n\r\n"),
    "a forbidden trailer": (400, POST + CHUNKED + b"\r\n2\r\n{}\r\n0\r\nHost: x\r\n\r\n"),
}
# Requests that gunicorn reads and Django refuses.
REFUSED = {
    "an empty Host": (400, LINE + b"Host: \r\n\r\n"),
    "another Host": (400, LINE + b"Host: evil.example\r\n\r\n"),
    "a Host with a path": (400, LINE + b"Host: localhost/x\r\n\r\n"),
    "an unknown method": (405, b"BREW /api/v1/skills HTTP/1.1\r\n" + HOST + b"\r\n"),
    "CONNECT": (404, b"CONNECT localhost:80 HTTP/1.1\r\n" + HOST + b"\r\n"),
    "OPTIONS for the server": (404, b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n"),
    "two slashes": (404, b"GET //evil.example/api/v1/skills HTTP/1.1\r\n" + HOST + b"\r\n"),
    "an absolute target": (404, b"GET http://localhost/nowhere HTTP/1.1\r\n" + HOST + b"\r\n"),
    "an absolute target of another host": (
        400,
        b"GET http://evil.example/api/v1/skills HTTP/1.1\r\n" + HOST + b"\r\n",
    ),
    "an absolute target with a user": (
        400,
        b"GET http://x@localhost/api/v1/skills HTTP/1.1\r\n" + HOST + b"\r\n",
    ),
    "a NUL in the path": (404, b"GET /api/v1/skills/%00 HTTP/1.1\r\n" + HOST + b"\r\n"),
    "a token that is not ASCII": (
        401,
        b"GET /api/v1/agents/me HTTP/1.1\r\nAuthorization: Bearer \xff\r\n" + HOST + b"\r\n",
    ),
    **{
        f"a charset {name}": (
            415,
            POST.replace(b"json", b"json; charset*=utf-8''" + charset)
            + b"Content-Length: 2\r\n\r\n{}",
        )
        for name, charset in {
            "with a NUL": b"utf-8%00",
            "that is half a character": b"%ED%A0%80",
            "of 41 letters": b"x" * 41,
        }.items()
    },
    # The error page also reads the form, for the CSRF token that belongs to the cookie.
    **{
        f"a form {name}": (
            404,
            b"POST /nowhere HTTP/1.1\r\nCookie: csrftoken=%b\r\n%b" % (b"a" * 32, HOST)
            + b"Content-Type: %b\r\nContent-Length: 1\r\n\r\nx" % kind,
        )
        for name, kind in {
            "in Latin-1": b"application/x-www-form-urlencoded; charset=latin-1",
            "in UTF-16": b"application/x-www-form-urlencoded; charset=utf-16",
            "in hexadecimal": b"multipart/form-data; boundary=B; charset=hex",
            "without a boundary": b"multipart/form-data",
            "of an empty boundary": b"multipart/form-data; boundary=",
        }.items()
    },
}
HIDDEN = b" " * 70_000 + POST + b"Content-Length: 2\r\n\r\n{}"
SMUGGLED = {
    "a byte too many": (413, POST + CHUNKED + b"\r\n" + chunks(b" " * 65_537)),
    "many small chunks": (413, POST + CHUNKED + b"\r\n" + chunks(*[b" " * 1000] * 70)),
    "a request in chunks": (413, POST + CHUNKED + b"\r\n" + chunks(HIDDEN)),
    "a request in a body": (413, POST + b"Content-Length: %d\r\n\r\n" % len(HIDDEN) + HIDDEN),
    "a length beyond all bounds": (413, POST + b"Content-Length: " + b"9" * 30 + b"\r\n\r\n{}"),
    "a request behind chunks that have a length": (
        400,
        POST + CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n" + HIDDEN.lstrip(),
    ),
    "chunks of gzip": (
        400,
        POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks(b"\x1f\x8b\x08"),
    ),
    "chunks of another type": (
        415,
        POST.replace(b"application/json", b"text/plain") + CHUNKED + b"\r\n" + chunks(b"{}"),
    ),
}
