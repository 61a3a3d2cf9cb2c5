"""Valid requests that look hostile, each with members that its response must have."""

from urllib.parse import quote

from tests.api.hostile_bodies import of_size
from tests.api.request_cases import (
    CHANGES,
    CONFIRM,
    INSTALL_PERSONA,
    INSTALL_SKILL,
    ME,
    PERSONA_REVIEWS,
    PERSONAS,
    REGISTER,
    REPORTS,
    REVIEWS,
    ROOT,
    ROTATE,
    SKILL,
    SKILLS,
    TOKENS,
    VALID,
    Case,
    quarter,
    with_body,
)
from tests.openapi_contract import resolved
from tests.registry import CODE, WITH_BODY

# Members that stay unchanged, whatever else a body contains.
UNCHANGED = {
    "register_agent": {"handle": "mallory"},
    "update_profile": {"handle": "caller", "tier": "free"},
    "create_token": {"tokenExpiresAt": None},
    "rotate_token": {"name": "", "tokenExpiresAt": None},
    "install_persona": {"isActive": False},
    "update_skill": {"message": "Nothing to update"},
    "update_persona": {"message": "Nothing to update"},
    "activate_persona": {"isActive": True},
    "deactivate_persona": {"isActive": False},
}


def expected_of(operation):
    """Members of the response: those that repeat the body, and those that stay unchanged."""
    [content] = operation.description["responses"][str(operation.status)]["content"].values()
    properties = resolved(content["schema"])["properties"]
    # A token of CI is exchanged for another one.
    names = operation.body.keys() & properties.keys() - {"token"}
    repeated = {name: operation.body[name] for name in names}
    return repeated | UNCHANGED.get(operation.name, {})


ACCEPTED = {operation.path: (operation.status, expected_of(operation)) for operation in WITH_BODY}
INJECTION = "Robert'); DROP TABLE agents_agent;--"
NONE = {"results": [], "count": 0, "next": None, "previous": None}
TWO = {"count": 2, "next": None, "previous": None}


def accepted(path, body, **expected):
    status, usual = ACCEPTED[path]
    return with_body(path, body, status), usual | expected


def at(targets, body, content_type="application/json"):
    """The body at these of ACCEPTED."""
    return [
        (with_body(path, body, status, content_type=content_type), expected)
        for path, (status, expected) in targets
    ]


def read(url, expected, **headers):
    headers = {"Authorization": "Bearer TOKEN"} | headers
    return Case("GET", url, 200, headers=tuple(headers.items())), expected


# Texts without matches, as words to search for and as values of filters.
# fmt: off
TEXTS = [
    "' OR '1'='1", "'; DROP SCHEMA public; --", '"', "'", "\\", "%", "_", "*", "?", "((",
    '""""""', "& | !", ":*", "<->", "or", "zzz or or or", "zzz:*", "{7*7}", "${x}", "$1", "%s",
    "{}", "{a,b}", '{"', "NULL", "\U0001f4a9", "\u202etxt", "\u0001\u001f\u007f", "\ufeff",
    "e\u0301" * 90, "zzz -" * 40, "(" * 200, "'" * 200, '"' * 199, "\\" * 200, "x" * 200,
    "<script>alert(1)</script>",
]
# fmt: on
FILTERS = [
    *((SKILLS, name) for name in ("q", "category", "author", "license", "tag", "bundledIn")),
    *((PERSONAS, name) for name in ("search", "category", "license", "runtime", "tag", "skill")),
]
SEARCHES = [
    (text[:30], [read(f"{path}?{name}={quote(text)}", NONE) for path, name in quarter(FILTERS, n)])
    for n, text in enumerate(TEXTS)
]
SLASHES = SKILLS, SKILL, PERSONAS, ME, PERSONA_REVIEWS, REVIEWS, CHANGES, ROOT
READING = [
    ("an empty search", [read(f"{SKILLS}?q=" + "%20" * 300, TWO)]),
    ("a search with a minus", [read(f"{SKILLS}?q=-zzz", NONE)]),
    ("a filter of 5,000 characters", [read(f"{SKILLS}?category=" + "x" * 5000, NONE)]),
    ("an empty filter", [read(f"{SKILLS}?category=", NONE)]),
    ("100 tags", [read(f"{SKILLS}?" + "&".join(f"tag={n}" for n in range(100)), NONE)]),
    ("empty parameters", [read(f"{SKILLS}?&&limit=2&", TWO)]),
    ("the lowest rating", [read(f"{PERSONAS}?minRating=1", {"count": 1})]),
    ("the highest rating", [read(f"{PERSONAS}?minRating=5", NONE)]),
    (
        "unknown parameters elsewhere",
        [read(f"{url}?x=1&x=2&limit=no", {}) for url in (SKILL, ME, TOKENS)],
    ),
    ("an escaped path", [read("/api/%76%31/skills/pdf%2Dtables", {"slug": "pdf-tables"})]),
    ("a slash at the end", [read(f"{url}/", {}) for url in SLASHES]),
    ("another method in a header", [read(ME, {}, **{"X-HTTP-Method-Override": "DELETE"})]),
    ("a range", [read(SKILLS, TWO, Range="bytes=0-1")]),
    ("a cookie", [read(ME, {}, Cookie="sessionid=' OR 1=1; csrftoken=\xff; =")]),
    ("unreadable ETags", [read(SKILLS, TWO, **{"If-None-Match": 'W/"x, "", "y'})]),
    ("an unreadable date", [read(SKILLS, TWO, **{"If-Modified-Since": "x" * 4000})]),
    ("an unknown language", [read(ME, {}, **{"Accept-Language": "../../etc/passwd;q=\xff"})]),
    ("a forwarded host", [read(SKILLS, TWO, **{"X-Forwarded-Host": "evil.example"})]),
    ("bearer in small letters", [read(ME, {"handle": "caller"}, Authorization="bearer TOKEN")]),
    ("BEARER and spaces", [read(ME, {"handle": "caller"}, Authorization=" BEARER   TOKEN ")]),
]
# The rules of the code that reads bodies, whatever the endpoint.
SHARED = {
    "white space around": ["\r\n\t {@ } \n"],
    "200 arrays in an unknown field": ['{@, "a": ' + "[" * 200 + "]" * 200 + "}"],
    "an unknown number of 300 digits": ['{@, "a": -' + "9" * 300 + "}"],
    "fields of other objects": ['{@, "__proto__": {"x": 1}, "constructor": null, "": []}'],
    "the charset spelt out": ["{@}", 'Application/JSON ; Charset="UTF-8"'],
    "a version of the type": ["{@}", "application/json; version=1"],
}
WRITING = [
    ("exactly 64 KiB", [accepted(path, of_size(path, 65_536)) for path in VALID]),
    *(
        (name, at(quarter(ACCEPTED.items(), number), *body))
        for number, (name, body) in enumerate(SHARED.items())
    ),
    (
        "fields of the tables",
        at(
            ACCEPTED.items(),
            '{@, "id": 1, "public_id": "x", "tier": "plus", "scopes": ["read"], "downloads": 9,'
            ' "agent": 1, "is_active": true, "is_staff": true, "suspended_at": "2020-01-01"}',
        ),
    ),
    (
        "an empty body where it will do",
        [
            (with_body(path, body, 201), {"name": ""})
            for path in (REGISTER, ROTATE)
            for body in (b"", b" \n", b"{}")
        ],
    ),
    (
        "names that say something else",
        [
            accepted(
                REGISTER,
                f'{{"name": "{INJECTION}"}}',
                name=INJECTION,
                handle="robert-drop-table-agents-agent",
            ),
            accepted(REGISTER, '{"name": "<b>Bold</b>"}', name="<b>Bold</b>", handle="bboldb"),
            accepted(
                REGISTER,
                '{"name": "Admin-Istrator"}',
                name="Admin-Istrator",
                handle="admin-istrator",
            ),
        ],
    ),
    (
        "unusual text is kept as it is",
        [
            accepted(ME, f'{{"name": "{text}"}}', name=kept)
            for text, kept in (
                (r"\ud83d\ude00", "\U0001f600"),
                ("\U0001f600" * 80, "\U0001f600" * 80),
                # Direction marks, joiners, and the last characters before the refused ones.
                (r"\u200f\u05d0\u200e \u061c\u0628", "\u200f\u05d0\u200e \u061c\u0628"),
                (r"\ud83d\udc69\u200d\ud83d\ude80", "\U0001f469\u200d\U0001f680"),
                (r"\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
                (r"~\u00a0\u2027\u202f\u2065\u206a", "~\u00a0\u2027\u202f\u2065\u206a"),
                (r"\udb40\udc80", "\U000e0080"),
                (r"%s %d {0} ${x} \\0 \\u0000", "%s %d {0} ${x} \\0 \\u0000"),
            )
        ],
    ),
    (
        "what is no name may have several lines",
        [
            accepted(ME, f'{{"{field}": "{text}"}}', **{"name": "The Caller", field: kept})
            for field in ("description", "runtime")
            for text, kept in (
                (r" \t\r\n ", " \t\r\n "),
                (r"a\u2028b\u2067", "a\u2028b\u2067"),
            )
        ],
    ),
    (
        "null for what is optional",
        [
            accepted(
                REGISTER,
                '{@, "handle": null, "description": null, "runtime": null}',
                description="",
            ),
            accepted(ME, '{"name": null, "handle": null}', name="The Caller"),
            accepted(TOKENS, '{@, "scopes": null, "expiresInDays": null}'),
            accepted(ROTATE, '{"graceSeconds": null}'),
            accepted(INSTALL_SKILL, '{@, "runtime": null}'),
            accepted(INSTALL_PERSONA, '{@, "setActive": null}'),
            accepted(REVIEWS, '{@, "comment": null}'),
            accepted(REPORTS, '{@, "comment": null, "reviewId": null}'),
        ],
    ),
    (
        "limits that are just kept",
        [
            accepted(
                ME,
                '{"description": "' + "é" * 500 + '", "runtime": "' + "\U0001f600" * 64 + '"}',
                name="The Caller",
            ),
            accepted(INSTALL_SKILL, '{@, "runtime": "' + "\U0001f600" * 16_000 + '"}'),
            accepted(
                REVIEWS,
                '{@, "comment": "' + "\U0001f600" * 1000 + '"}',
                comment="\U0001f600" * 1000,
            ),
        ],
    ),
    (
        "a code written otherwise",
        [accepted(CONFIRM, f'{{"code": " {CODE.lower().replace("-", " - ")} "}}')],
    ),
    *(
        (
            f"a rating of {rating}",
            [
                (
                    with_body(REVIEWS, f'{{"personaSlug": "librarian", "rating": {rating}}}', 201),
                    {"rating": kept},
                )
            ],
        )
        for rating, kept in (
            *(("1", 1), ("5", 5), ("1.0", 1), ("5.00", 5), ("5e0", 5), ("0.1e1", 1), ("50E-1", 5)),
            *(("4.5", 4.5), ("1.25", 1.25), ("3.14", 3.14), ("1.01", 1.01), ("4.99", 4.99)),
        )
    ),
]
