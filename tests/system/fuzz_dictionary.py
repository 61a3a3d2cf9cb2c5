"""Values that replace a part of a valid request: edge cases and invalid ones."""

import json
from itertools import cycle, product

from tests.system.operations import FULL, OPERATIONS, SYNONYMS


def example_of(path):
    """The path of the first skill or persona, or of a file."""
    path = path.replace("{path}", "data.bin").replace("{personaSlug}", "persona-1")
    path = path.replace("skills/{slug}", "skills/skill-1").replace("{slug}", "persona-1")
    return path.replace("{tokenId}", "token_1").replace("{number}", "1")


# fmt: off
METHODS = [
    "HEAD", "GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PRI", "BREW",
    "get", "A" * 20, "A" * 21, "", "P\u00d6ST", "GET,POST", "M-SEARCH", "HEAD\t", "GET ",
]
VERSIONS = ["HTTP/1.0", "HTTP/1.2", "HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "http/1.1", "HTTP/1.1 ", ""]
# Every path, and almost-paths.
PATHS = sorted({example_of(operation.path) for operation in OPERATIONS})
TARGETS = [
    "*", "/", "//", "", "http://localhost/api/v1/skills", "http://[/api", "localhost:80", "/api/v1",
    "http://localhost", "//localhost/api/v1/skills", "/api/v1/skills#a", "/api/v1/../v1/skills",
    "/api/v1/skills?", "/api/v1/skills??&&", "/%00", "/%ff", "/a%0d%0ab", "/healthz", "/readyz/",
    "/static/x", "/static/%00", "/static/../x", "/" + "a" * 4000, "/api/v1/skills/" + "a-" * 1500,
    "http://é/", "/api/v1/agents/me/tokens/" + "a" * 4000,
    "/skills/skill-1/files/a", "/api/v1/skills/skill-1/files/" + "%C3%A9/" * 500,
    "/api/v1/skills/skill-1/files/../../skill-1", "/api/v1/skills/skill-1/archive.zip/x",
    "/api/v1/skills/skill-1/files/data.bin?digest=%FF", "/api/v1/skills/skill-1/archiveXzip",
    "/api/v1/changes?since=", "/api/v1?a=b",
    "/api/v1/facets?kind=", "/api/v1/facets?kind=skill&kind=skill",
    "/operator", "/operator/", "/operator?after=%00", "/operator?agent=%FF", "/operator/log-out",
    "/operator/agents/%00", "/operator/agents/caller-0", "/operator/agents/caller-0/limits/x",
    "/operator/agents/caller-0/revoke-token/%00", "/operator/agents/" + "a" * 4000 + "/pause",
    "/claim/%00", "/claim/" + "a" * 4000,
    "/sitemap.xml", "/sitemap-skills-%00.xml", "/sitemap-skills-0.xml?%FF", "/feed.atom/?",
    "/this-week?%00", "/this-week.atom/?",
    *(path + end for path, end in zip(PATHS, cycle(["/", "//", "%0a", "/x", "/%00", ""]))),
]
TEXTS = [
    "", " ", "\0", "a\0", "\ud800", "\udc00\ud800", "\ufeff", "\u202e", "\uffff", "\u0663",
    "\u2028", "a\U000e0041", "\x9b",
    "\u0130", "x" * 65, "x" * 81, "x" * 201, "é" * 501, "\U0001f600" * 1001, "x" * 9000, "null",
    "true", "²", "'", '"', "\\", "%", "%00", "%s", "{}", "(", ":*", "<->", "!", "& |", "a:b",
    "-a -b", "\x1f", "*", "../..", "//", "a--b", "-a", "admin", "1e400", "inf", "nan", "0", "-1",
    "101", "9" * 40, "5.01", "366", "86401",
]
NUMBERS = [
    "-0", "-0.0", "0.1e1", "5e0", "5.004", "5.005", "0.995", "1e-400", "1e400", "-1e400", "1E+308",
    "01", "1.", ".5", "+1", "0x10", "NaN", "Infinity", "-Infinity", "2147483648", "9" * 19,
    "1" * 309, "9" * 4299, "9" * 4301, "0." + "0" * 5000 + "1", "1e99999999999",
    "4.99999999999999999999",
]
JSON = [
    *NUMBERS, *(json.dumps(text) for text in TEXTS), "null", "true", "false", "[]", "{}", "[[]]",
    "", '{"":{"":[null]}}', "[1,]", "tru", r'"\ud83d\ude00"', r'"\u00zz"', '{"a":1,"a":2}',
    r'{"\u0000":1}', r'{"\ud800":{"\ud800":[]}}', '{"a":' * 500 + "1" + "}" * 500,
    *("[" * depth + "]" * depth for depth in (2, 200, 900, 990, 1100, 20_000)),
]
PARAMETERS = [
    *sorted({*SYNONYMS, *(name for one in OPERATIONS for name in one.parameters)}),
    *("", "foo", "q[]", "Q", "\0", "\ud800", "é", "format", "page"),
]

# Parameters of a Content-Type: RFC 2231 has continued and encoded ones.
PARAMETER = [
    "charset", "charset*", "charset*0", "charset*0*", "charset*1", "charset*1*", "a*", "a*2", "q",
    "charset*" + "9" * 5000, "a*" + "1" * 5000, "charset*00", "", "*", "**", "é",
]
PARAMETER_VALUES = [
    "utf-8", '"UTF-8"', "latin-1", "utf-8''utf-8", "klingon''x", "undefined''x", "''", "", '"',
    "'", "%", "utf-8'", "hex''00", "idna''%ff", "punycode''%ff", "utf-16''%ff", "\xff", "a=b",
    "utf-8''%ff%00",
]
MEDIA_TYPES = [
    "application/json", "Application/JSON", "text/plain", "multipart/form-data", "", "/",
    "a" * 8000, "application/x-www-form-urlencoded", "application/json, a/b",
    "application/json\xa0", "*/*",
]
# Some inputs that break the email header parser, which Django uses.
CONTENT_TYPES = [
    *MEDIA_TYPES,
    *(f"application/json; {name}={value}" for name, value in product(PARAMETER, PARAMETER_VALUES)),
    *(f"x/y;{one}=utf-8;{two}=''" for one, two in product(PARAMETER, PARAMETER)),
]
VALUES = [
    "", " ", "\t", "0", "-1", "a" * 4000, "a" * 8200, "\xff\xfe", "é", "\x7f", "a\0b", "a\rb",
    "a\r\n b", "*/*", "a;b=c", "a,b", "=", ";", '"', "gzip", "close", "keep-alive", "upgrade",
    "bytes=0-", "a\r\nb",
]
NARROW = ["@read@", "@install@", "@review@", "@revoked@", "@expired@", "@suspended@"]
HEADERS = {
    "Content-Type": CONTENT_TYPES,
    "Host": [
        "localhost", "LOCALHOST:80", "127.0.0.1:99999", "[::1]", "[::1]:80", "", "evil.example",
        "\xff", "localhost:", "localhost:x", "[", "[::1", "localhost/x", "a@localhost",
        "localhost.", "[:]:1",
    ],
    "Authorization": [
        "", "Bearer", "Bearer ", "Basic a", "Bearer a b", "Bearer \xff", "Bearer mkt_agent_",
        *(f"{scheme} {token}" for scheme in ("Bearer", "BEARER ", "Token") for token in NARROW),
        FULL[0], f"Bearer {FULL[0]}x", f"Bearer {FULL[0]}, Bearer {FULL[1]}", "Bearer " + "0" * 51,
    ],
    "Content-Length": [
        "0", "1", "-1", "+2", "2, 2", "0x2", "", "a", "²", "65537", "9" * 30, "9" * 4400, "1 1",
        "1_0",
    ],
    "Transfer-Encoding": [
        "chunked", "Chunked", "identity", "gzip", "gzip, chunked", "chunked, chunked", "magic", "",
        ",", "chunked;q=1", "identity, chunked", "\x0bchunked", "chunked, identity", '"chunked"',
        "\xff",
    ],
    "Expect": ["100-continue", "100-Continue", "tea", ""],
    "Connection": ["close", "keep-alive", "Close, TE", "upgrade", "", "Upgrade, HTTP2-Settings"],
    "Upgrade": ["h2c", "websocket", "HTTP/3.0"],
    "If-None-Match": [
        "*", 'W/"a"', '"', '"a", "b"', "a", '"\xff"', ",,,", '"' * 500, 'W/"' + "a" * 4000 + '"',
    ],
    "If-Modified-Since": ["Thu, 01 Jan 1970 00:00:00 GMT", "x" * 4000, "Mon, 99 Feb 99999 99:99"],
    "Cookie": [
        "staff=a; csrftoken=b", "=", ";;;=;", 'a="\\777\\x"', "messages=\xff",
        "operator=a:b", "operator=:", 'operator="\\777"', "operator=\xff", "operator=" + "a" * 4000,
        "operator=00000000-0000-0000-0000-000000000000:" + "0" * 64,
    ],
    "X-Forwarded-For": ["1.2.3.4", "::1", "a, b, c", "[::1]:80", "1.2.3.4:99999999", "\xff"],
    "Range": ["bytes=0-", "bytes=1-2", "bytes=-1", "bytes=99999999-", "bytes=0-0,2-3", "lines=1-"],
    "X-Forwarded-Proto": ["https", "http", "ftp"],
    **dict.fromkeys((
        "Accept", "Accept-Encoding", "Accept-Language", "If-Range", "TE", "Trailer",
        "Origin", "Referer", "X-CSRFToken", "X-HTTP-Method-Override", "X-Forwarded-Host",
        "Forwarded", "Proxy", "Script-Name", "SCRIPT_NAME", "PATH_INFO", "Path-Info",
        "Query-String", "Content-Encoding", "Content-Length_", "Content_Length", "HTTP2-Settings",
        "X Y", "X\t", "", "\xff", "X:",
    ), VALUES),
}
# Bytes that mean something to one of the layers.
BYTES = [
    b"\0", b"\r", b"\n", b"\r\n", b"\r\n\r\n", b" ", b"\t", b"\x0b", b"\x7f", b"\x80", b"\xff",
    b"%00", b"%ff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xae",
    b"\xf4\x90\x80\x80", b"%", b"%0d%0a", b":", b";", b",", b"/", b"//", b"..", b"?", b"#", b"&",
    b"=", b"*", b"@", b"[", b"]", b"{", b"}", b'"', b"\\", rb"\u0000", rb"\ud800", b"0", b"-1",
    b"9" * 30, b"1e400", b"null", b"A" * 9000, b"HTTP/1.1", b"\r\n ",
]
# fmt: on
