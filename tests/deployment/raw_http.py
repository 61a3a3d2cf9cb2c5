"""Requests as bytes on a connection, and their responses."""

import re

GET = b"GET /api/v1/skills HTTP/1.1\r\nHost: localhost\r\n\r\n"
REGISTER = (
    b"POST /api/v1/agents/register HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n"
)
CHUNKED = REGISTER.replace(b"Content-Length: 2", b"Transfer-Encoding: chunked")
EXPECTING = REGISTER.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n")
UPLOAD = (
    b"POST /admin/ HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: text/plain\r\nContent-Length: 300000\r\n\r\n"
)


def read_responses(link, number):
    """The statuses of the next responses, and whether the last one closes the connection."""
    received, statuses = b"", []
    while len(statuses) < number:
        chunk = link.recv(65536)
        assert chunk, "closed without a response"
        received += chunk
        while match := re.match(
            rb"HTTP/1.1 (\d+) .*?Content-Length: (\d+)\r\n(?:.*?\r\n)?\r\n", received, re.DOTALL
        ):
            end = match.end() + int(match[2])
            if len(received) < end:
                break
            statuses.append(int(match[1]))
            is_last = b"Connection: close" in match[0]
            received = received[end:]
    assert received == b""
    return statuses, is_last


def responses_to(link, data, number=1):
    link.sendall(data)
    return read_responses(link, number)
