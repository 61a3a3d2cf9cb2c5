"""Hostile bodies as a whole: unreadable, of another type, too large. `@`: valid members."""

import gzip
import json

from tests.api.request_cases import REGISTER, REVIEWS, SUBMISSIONS, VALID, quarter, with_body
from tests.registry import WITH_BODY

NOT_JSON = "Request body is not valid JSON"
NO_OBJECT = "Request body must be a JSON object"
MEDIA_TYPE = "Content-Type must be application/json"
MEDIA_TYPES = {SUBMISSIONS: f"{MEDIA_TYPE} or application/zip"}
MAX_BODIES = {SUBMISSIONS: 2**20}
TOO_LARGE = "Request body is too large"

UNREADABLE = {
    "cut after a member": "{@",
    "cut in a string": '{@, "a": "b',
    "cut in an escape": r'{@, "a": "\u12"}',
    "a member without value": '{@, "a":}',
    "a comma too many": "{@,}",
    "single quotes": "{'a': 1}",
    "an unquoted key": "{@, a: 1}",
    "a comment": "{@} // all of it",
    "two documents": "{@}{@}",
    "a NUL after the document": "{@}\0",
    "a raw NUL in a string": '{@, "a": "\0"}',
    "a raw newline in a string": '{@, "a": "\n"}',
    "an unknown escape": r'{@, "a": "\x00"}',
    "NaN": '{@, "a": NaN}',
    "Infinity": '{@, "a": Infinity}',
    "-Infinity": '{@, "a": [-Infinity]}',
    "a hexadecimal number": '{@, "a": 0x10}',
    "a leading zero": '{@, "a": 01}',
    "a leading plus": '{@, "a": +1}',
    "a leading point": '{@, "a": .5}',
    "undefined": "undefined",
    "the True of Python": '{@, "a": True}',
    "a no-break space in front": "\u00a0{@}",
    "a form": "slug=pdf-tables&rating=5",
    "XML": '<?xml version="1.0"?><slug>pdf-tables</slug>',
    "60,000 open arrays": "[" * 60_000,
    "13,000 open objects": '{"a":' * 13_000,
    "20,000 open arrays in a member": '{@, "a": ' + "[" * 20_000,
    "UTF-8 with a BOM": b"\xef\xbb\xbf{@}",
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "UTF-16 without a BOM": '{"a": 1}'.encode("utf-16-le"),
    "UTF-32": '{"a": 1}'.encode("utf-32"),
    "latin-1": '{@, "a": "é"}'.encode("latin-1"),
    "a byte that UTF-8 never has": b'{@, "a": "\xff"}',
    "an overlong slash": b'{@, "a": "\xc0\xaf"}',
    "a surrogate in UTF-8": b'{@, "a": "\xed\xa0\x80"}',
    "a cut sequence": b'{@, "a": "\xe2\x82"}',
    "beyond Unicode": b'{@, "a": "\xf4\x90\x80\x80"}',
    "gzip": gzip.compress(b'{"a": 1}', mtime=0),
    "every byte there is": bytes(range(256)),
}
NO_OBJECTS = {
    "an empty array": "[]",
    "an array of a valid object": "[{@}]",
    "a string": '"pdf-tables"',
    "a number": "5",
    "a fraction": "-0.5e-3",
    "null": "null",
    "true": "true",
    "false": "false",
}
# Well-formed and still refused. The contract fixes the status, not the text.
UNSTORABLE = {
    "NUL in an unknown value": r'{@, "a": "b\u0000c"}',
    "NUL in an unknown key": r'{@, "a\u0000": 1}',
    "NUL deep inside": r'{@, "a": [1, {"b": [{"c": "\u0000"}]}]}',
    "NUL in a deep key": r'{@, "a": [{"b": {"\u0000": null}}]}',
    "a lone high surrogate": r'{@, "a": "\ud800"}',
    "a lone low surrogate": r'{@, "a": "\udfff!"}',
    "surrogates in the wrong order": r'{@, "a": ["\ude00\ud83d"]}',
    "a lone surrogate as a key": r'{@, "\ud800": {}}',
    "a duplicate key": '{@, "a": 1, "a": 1}',
    "a duplicate of a known key": "{@, @}",
    "a duplicate key that is escaped": r'{@, "a": 1, "\u0061": 2}',
    "a duplicate key inside": '{@, "a": [{"b": {"c": 1, "c": 2}}]}',
    "a duplicate empty key": '{@, "": 1, "": 2}',
    "a duplicate lone surrogate": r'{@, "\ud800": 1, "\ud800": 2}',
    "990 arrays": "[" * 990 + "]" * 990,
    "5,000 arrays": "[" * 5000 + "]" * 5000,
    "1e400": '{@, "a": 1e400}',
    "-1e400": '{@, "a": [-1e400]}',
    "an integer of 5,000 digits": '{@, "a": ' + "9" * 5000 + "}",
}
# Bodies that should hold a token, with their errors.
WITHOUT_TOKEN = [
    ({}, "token is required"),
    ({"token": None}, "token is required"),
    *(({"token": value}, "token must be a string") for value in (5, True, [], ["x"], {})),
    (b"", NOT_JSON),
    (b"[]", NO_OBJECT),
]
EMPTY = {"an empty body": "", "only white space": " \r\n\t"}
# Where an empty body is allowed.
OPTIONAL = [op.path for op in WITH_BODY if not op.description["requestBody"]["required"]]

FORM = b"name=Mallory&slug=pdf-tables&personaSlug=librarian&rating=5&code=WDJB-MJHT"
MULTIPART = (
    b'--x\r\nContent-Disposition: form-data; name="slug"\r\n\r\npdf-tables\r\n'
    b'--x\r\nContent-Disposition: form-data; name="f"; filename="../a"\r\n\r\n\0\r\n--x--\r\n'
)
OTHER_TYPES = {
    "a form": (FORM, "application/x-www-form-urlencoded"),
    "multipart": (MULTIPART, "multipart/form-data; boundary=x"),
    "multipart without a boundary": (MULTIPART, "multipart/form-data"),
    "no Content-Type": ("{@}", ""),
    "plain text": ("{@}", "text/plain"),
    "a JSON dialect": ("{@}", "application/vnd.api+json"),
    "a wildcard": ("{@}", "*/*"),
    "two types": ("{@}", "application/json, text/plain"),
    "a longer type": ("{@}", "application/json5"),
    "a cut type": ("{@}", "application"),
    "charset latin-1": ('{@, "a": "é"}'.encode("latin-1"), "application/json; charset=latin-1"),
    "charset UTF-16": ("{}".encode("utf-16"), 'application/json; charset="utf-16"'),
    "a compressing charset": ("{@}", "application/json; charset=bz2_codec"),
    "an unknown charset": ("{@}", "application/json; charset=klingon"),
    "an empty charset": ("{@}", "application/json; charset="),
    "an encoded charset": ("{@}", "application/json; charset*=utf-8''utf-8"),
    "8,000 characters": ("{@}", "x" * 8000),
    "a no-break space behind": ("{@}", "application/json\xa0"),
}

BODIES = [
    (name, [with_body(path, body, 400, error) for path in quarter(VALID, number)])
    for table, error in ((UNREADABLE, NOT_JSON), (NO_OBJECTS, NO_OBJECT), (UNSTORABLE, None))
    for number, (name, body) in enumerate(table.items())
] + [
    (name, [with_body(path, body, 400, NOT_JSON) for path in VALID if path not in OPTIONAL])
    for name, body in EMPTY.items()
]
CONTENT_TYPES = [
    (
        name,
        [
            with_body(path, body, 415, MEDIA_TYPES.get(path, MEDIA_TYPE), content_type)
            for path in quarter(VALID, number)
        ],
    )
    for number, (name, (body, content_type)) in enumerate(OTHER_TYPES.items())
]


def of_size(path, size):
    """A valid body of exactly this many bytes."""
    return f"{{{VALID[path]}}}".ljust(size)


KEYS = json.dumps({f"key-{number}": number for number in range(10_000)})
SIZES = [
    (
        "a byte too many",
        [
            with_body(path, of_size(path, MAX_BODIES.get(path, 65_536) + 1), 413, TOO_LARGE)
            for path in VALID
        ],
    ),
    ("3 megabytes", [with_body(path, of_size(path, 3 * 10**6), 413, TOO_LARGE) for path in VALID]),
    ("a long string", [with_body(REGISTER, f'{{"name": "{"x" * 2**20}"}}', 413, TOO_LARGE)]),
    ("10,000 keys", [with_body(REVIEWS, KEYS, 413, TOO_LARGE)]),
    ("a megabyte of open arrays", [with_body(REVIEWS, "[" * 2**20, 413, TOO_LARGE)]),
]
