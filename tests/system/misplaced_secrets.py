"""Requests with a secret in the wrong place.

`TOKEN` stands for an agent's token or an operator's key, `OPAQUE` for its secret half, `CLAIM` for
the secret of a claim URL, `SECRET` for a key or the cookie of a session.
"""

import json

API = "/api/v1"
ME = f"{API}/agents/me"
JSON = {"Content-Type": "application/json"}
BEARER = {"Authorization": "Bearer TOKEN"}

IN_THE_URL = [
    *(f"{ME}?access_token=TOKEN", f"{API}/skills?token=TOKEN", f"{API}/skills?q=TOKEN"),
    *(f"{API}/skills?TOKEN", f"{API}/personas?TOKEN=1", f"{API}/skills?tag=TOKEN&tag=TOKEN"),
    *(f"{API}/skills?{name}=TOKEN" for name in ("sort", "limit", "cursor", "category", "q[]")),
    *(f"{API}/personas?{name}=TOKEN" for name in ("free", "minRating", "skill", "author")),
    *("/TOKEN", f"{API}/TOKEN", f"{API}/skills/TOKEN", f"{API}/personas/TOKEN/", f"{ME}/TOKEN"),
    *(f"{ME}/tokens/TOKEN", f"{ME}/tokens/TOKEN/", f"{API}/tokens/TOKEN"),
    *(f"{ME}/reviews/TOKEN", f"{API}/personas/TOKEN/reviews", f"{ME}/reviews?TOKEN=TOKEN"),
    *(f"{API}/personas/archivist/reviews?{name}=TOKEN" for name in ("rating", "sort", "cursor")),
    *(f"{API}/changes?{name}=TOKEN" for name in ("since", "kind", "limit", "TOKEN")),
    *(f"{API}/facets?kind=TOKEN", f"{API}/facets?TOKEN=1", f"{API}?TOKEN", f"{ME}/reports/TOKEN"),
    *(
        f"{API}/skills?license=TOKEN",
        f"{ME}/manifest?content=TOKEN",
        f"{ME}/skills?cursor=TOKEN",
        f"{ME}/personas?TOKEN=1",
    ),
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
    *((f"{ME}/confirm-claim", body) for body in ('{"code": "TOKEN"}', '{"code": "CLAIM"}')),
    (f"{ME}/tokens", '{"name": "TOKEN", "scopes": ["TOKEN"], "expiresInDays": "TOKEN"}'),
    (f"{ME}/tokens/rotate", '{"graceSeconds": "TOKEN"}'),
    *((f"{API}/tokens/revoke", body) for body in ('{"token": ["TOKEN"]}', '{"TOKEN": "x"}')),
    (f"{API}/tokens/revoke", '{"token": "xTOKEN"}'),
    (f"{ME}/skills/install", '{"slug": "TOKEN"}'),
    (f"{ME}/skills/install", '{"slug": "TOKEN", "runtime": "TOKENTOKEN"}'),
    (f"{ME}/personas/install", '{"slug": "TOKEN", "setActive": "TOKEN"}'),
    *(
        (f"{ME}/{path}", '{"slug": "TOKEN"}')
        for path in (
            *("skills/update", "skills/uninstall", "personas/update", "personas/uninstall"),
            *("personas/activate", "personas/deactivate"),
        )
    ),
    (f"{ME}/reviews", '{"personaSlug": "TOKEN", "rating": "TOKEN", "comment": ["TOKEN"]}'),
    (f"{ME}/reviews", '{"personaSlug": "TOKEN", "rating": 5}'),
    (f"{ME}/reports", '{"kind": "TOKEN", "slug": ["TOKEN"], "reason": "TOKEN"}'),
    (f"{ME}/reports", '{"kind": "review", "reviewId": "TOKEN", "reason": "spam"}'),
    (f"{ME}/reports", '{"kind": "skill", "slug": "TOKEN", "reason": "spam"}'),
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
UNREADABLE = [  # requests that gunicorn refuses by itself
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
