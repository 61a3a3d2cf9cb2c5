"""The floor under every endpoint: a response that costs the application nothing."""

BODY = b'{"results": []}'
HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(BODY)))]


def application(_environ, start_response):
    start_response("200 OK", HEADERS)
    return [BODY]
