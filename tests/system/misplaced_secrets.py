"""Requests with a secret in the wrong place.

`TOKEN` stands for an agent's token or an operator's key, `OPAQUE` for its secret half, `CLAIM` for
the secret of a claim URL, `SECRET` for a key or the cookie of a session.
"""

import json
import re

from tests.registry import OPERATIONS, WITH_BODY

API = "/api/v1"
ME = f"{API}/agents/me"
JSON = {"Content-Type": "application/json"}
BEARER = {"Authorization": "Bearer TOKEN"}

ROUTES = sorted({re.sub(r"\{\w+\}", "TOKEN", operation.route) for operation in OPERATIONS})
IN_THE_URL = [
    *(
        f"{ME}?access_token=TOKEN",
        f"{API}/skills?token=TOKEN",
        f"{API}/skills?q[]=TOKEN",
        f"{API}/skills?tag=TOKEN&tag=TOKEN",
    ),
    *(route for route in ROUTES if "TOKEN" in route),
    *(f"{route}/TOKEN" for route in ROUTES if "TOKEN" not in route),
    *(f"{operation.path}?TOKEN" for operation in OPERATIONS if operation.method == "GET"),
    *(
        f"{operation.path}?{name}=TOKEN"
        for operation in OPERATIONS
        for name in operation.parameters
        if operation.method == "GET"
    ),
    *("/TOKEN", f"{API}/personas/TOKEN/", f"{ME}/tokens/TOKEN/"),
    *("/claim/TOKEN", "/claim/TOKEN/", "/admin/TOKEN", "/admin/TOKEN/", "/static/TOKEN"),
    *(
        "/%6Dkt%5Fagent%5FOPAQUE",
        "/mkt%5Foperator%5FOPAQUE",
        "//TOKEN",
        "/TOKENTOKEN",
        f"{API}/skills?q=%00TOKEN",
    ),
    *("/admin/login/?next=/TOKEN", "/admin/agents/agent/?q=TOKEN", "/admin/agents/agent/?TOKEN=1"),
    *(
        "/claim/CLAIM/",
        "/claim/CLAIM/x",
        "/claim/CLAIM%20",
        f"{API}/claim/CLAIM",
        "/%63laim/CLAIM/",
    ),
    *(f"{API}/skills?q=CLAIM", f"{API}/skills?claimUrl=http://localhost/claim/CLAIM"),
]
IN_THE_CONSOLE = [
    *(
        "/operator?key=SECRET",
        "/operator?SECRET",
        "/operator?after=SECRET",
        "/operator?agent=SECRET",
    ),
    *("/operator/SECRET", "/operator/agents/SECRET", "/operator/agents/SECRET/pause", "/SECRET"),
    *("/operator/agents/user?skills=SECRET", "/operator/agents/user/SECRET", "/claim/SECRET"),
    *(
        f"/operator/agents/user/{action}/SECRET"
        for action in ("revoke-token", "remove-skill", "remove-persona")
    ),
    *("/api/v1/skills?q=SECRET", "/api/v1/skills?operator=SECRET", "/skills?q=SECRET"),
    *("/admin/agents/operatorkey/?q=SECRET", "/admin/login/?next=/operator/SECRET"),
]
CONSOLE_HEADERS = [
    *("Cookie", "Authorization", "Referer", "User-Agent", "X-CSRFToken", "X-Request-ID", "Host"),
]
REGISTERING = [
    *('{"token": "TOKEN"}', '{"TOKEN": true}', '{"handle": "TOKEN"}', '{"TOKEN": 1, "TOKEN": 1}'),
    *('{"name": ["TOKEN"]}', '{"name": "TOKEN', "TOKEN", '"TOKEN"', '["TOKEN"]', "token=TOKEN"),
]
CALLS = [
    {"name": "get_skill", "arguments": {"slug": "TOKEN"}},
    {"name": "my_manifest", "arguments": {"TOKEN": "TOKEN"}},
    {"name": "revoke_token", "arguments": {"tokenId": "TOKEN"}},
    {"name": "TOKEN", "arguments": {}},
]
IN_A_BODY = [
    *(
        ("/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}))
        for call in CALLS
    ),
    ("/mcp", '{"jsonrpc": "2.0", "id": 1, "method": "TOKEN", "params": {"TOKEN": "TOKEN"}}'),
    *((f"{API}/agents/register", body) for body in REGISTERING),
    (f"{ME}/confirm-claim", '{"code": "CLAIM"}'),
    (f"{API}/tokens/revoke", '{"token": "xTOKEN"}'),
    # In every field, as a value that it cannot hold.
    *(
        (operation.path, json.dumps({name: ["TOKEN"] for name in operation.schema["properties"]}))
        for operation in WITH_BODY
    ),
    # As the name of something that does not exist.
    *(
        (operation.path, json.dumps(operation.body | {name: "TOKEN"}))
        for operation in WITH_BODY
        for name in ("slug", "personaSlug", "code")
        if name in operation.body
    ),
    *(
        (operation.path, '{"TOKEN": "x"}')
        for operation in WITH_BODY
        if operation.schema.get("required")
    ),
]
CREDENTIALS = [
    *("Bearer TOKEN", "TOKEN", "Basic TOKEN", "Token TOKEN", "Bearer TOKENx", 'Bearer "TOKEN"'),
    "Bearer TOKEN TOKEN",
]
HEADERS = [
    *("X-Api-Key", "User-Agent", "Referer", "Origin", "Host", "Range", "Content-Type", "Accept"),
    *(
        "If-None-Match",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-HTTP-Method-Override",
        "X-Request-ID",
    ),
]
IN_A_HEADER = [
    *({"Authorization": value} for value in CREDENTIALS),
    *({name: "TOKEN"} for name in HEADERS),
    *({"Cookie": f"{name}=TOKEN"} for name in ("token", "staff", "csrftoken")),
    *({"Host": "TOKEN.example"}, {"Referer": "http://localhost/claim/CLAIM"}),
]
UNREADABLE = [  # requests that gunicorn itself refuses
    *("GET /TOKEN\1 HTTP/1.1", "GET /%6Dkt%5Fagent%5FOPAQUE\1 HTTP/1.1", "GET TOKEN HTTP/1.1"),
    *("TOKEN", "TOKEN / HTTP/1.1", "GET / TOKEN", "GET /?token=TOKEN HTTP/TOKEN", "GET /TOKEN"),
    *("GET /claim/CLAIM\1 HTTP/1.1", "GET %2Fclaim%2FCLAIM HTTP/1.1", "GET /claim/CLAIM"),
    *(
        f"GET /claim/CLAIM?TOKEN HTTP/1.1\r\nHost: localhost\r\n{header}"
        for header in (
            *("TOKEN", "TOKEN : x", "Authorization : Bearer TOKEN", "Authorization: Bearer\0TOKEN"),
            *("Authorization: Bearer\r\n TOKEN", "Expect: TOKEN", "Transfer-Encoding: TOKEN"),
            *("Content-Length: TOKEN", "Host: TOKEN", "X: /claim/CLAIM\0", "X TOKEN: 1"),
            "Transfer-Encoding: chunked\r\n\r\nTOKEN\r\n",
            "Transfer-Encoding: chunked\r\n\r\n2;TOKEN\n\r\nTOKEN",
        )
    ),
]


def filled(template, token, claim):
    """The template, a text or a dict of headers, with the secrets filled in."""
    if isinstance(template, dict):
        return {name: filled(value, token, claim) for name, value in template.items()}
    opaque = token.rpartition("_")[2]
    return template.replace("TOKEN", token).replace("OPAQUE", opaque).replace("CLAIM", claim)
