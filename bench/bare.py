"""The floor under every endpoint: an answer that costs the application nothing."""

BODY = b'{"results": []}'
HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(BODY)))]


def application(_environ, start_response):
    start_response("200 OK", HEADERS)
    return [BODY]
