"""Hostile paths, query strings, Authorization headers and methods."""

from dataclasses import replace
from urllib.parse import quote

from agents.tokens import checksum
from tests.api.request_cases import (
    ALLOWED,
    ME,
    PERSONA,
    PERSONA_REVIEWS,
    PERSONAS,
    REVIEW,
    REVIEWS,
    SKILL,
    SKILLS,
    TOKEN,
    TOKENS,
    VALID,
    Case,
    quarter,
    with_body,
    words,
)
from tests.registry import PROTECTED

# Paths that are not a route.
NOWHERE = [
    *words("""
    /api /api/ /api/v1// /api/v2 /api/v2/skills /API/v1/skills /api/v1/Skills /api//v1/skills
    /api/v1/agents /api/v1/agents/1 /api/v1/agents/me/skill /api/v1/agents/me/reviews/a/b
    /api/v1/skills// /api/v1/skills/pdf-tables/x /api/v1/skills/a/../b /api/v1/../v1/skills
    /api/v1/skills%00 /api/v1/skills%0A /api/v1/skills%20 /api/v1/%FF /api/v1/skills%3Fx
    /api/v1/skills/..%2F..%2Fetc%2Fpasswd /api/v1/skills%5Cpdf-tables /api/v1/skills.json
    /api/v1/agents/me.json /api/v1/agents/me%00 /api/v1/agents/me/;x
    /%00 /%FF%FE /.env /wp-login.php /nowhere /nowhere?%00=%FF /static/..%2Fmanage.py /static/%00
    """),
    *("/" + "a" * 4000, "/" + "a/" * 2000, "/api/v1/" + "%C3%A9" * 1000),
]
# Last segments of the two detail paths: a route, but the slug of nothing.
NO_SLUGS = [
    *words("""
    %00 pdf-tables%00 %FF %C3%28 %ED%A0%80 %C0%AE%C0%AE % %2 %25 %u0041 .. . %2E%2E PDF-TABLES
    pdf-tables%0A pdf-tables%20 %20pdf-tables pdf--tables pdf-tables.json pdf-tables;v=1 pdf_tables
    - '%20OR%201=1-- %27%3BSELECT%20pg_sleep(9) %C3%A9 %E2%80%AEtxt %F0%9F%92%A9 {slug} $%7B7*7%7D
    null 0 -1 1e400 * %0D%0AX-Evil:%201 <script>
    """),
    *("a" * 101, "a" * 60_000, "%C3%A9" * 5000, "a-" * 2000 + "a"),
]
PATHS = [
    (path[:60], [Case(method, path, 404) for method in ("GET", "POST")]) for path in NOWHERE
] + [
    (
        f"…/{segment[:50]}",
        [
            Case("GET", f"{SKILLS}/{segment}", 404, "Skill not found"),
            Case("GET", f"{SKILLS}/{segment}/archive.zip", 404, "Skill not found"),
            Case("GET", f"{SKILL}/files/{segment}", 404, "File not found"),
            Case("GET", f"{PERSONAS}/{segment}", 404, "Persona not found"),
            Case("GET", f"{PERSONAS}/{segment}/reviews", 404, "Persona not found"),
            Case("DELETE", f"{REVIEWS}/{segment}", 404, "Review not found"),
        ],
    )
    for segment in NO_SLUGS
]

LIMIT = "limit must be a whole number from 1 to 100"
CURSOR = "cursor is invalid"
LONG = "q must be at most 200 characters"

# Query strings that neither list accepts.
REFUSED = {
    **{f"limit={value}": LIMIT for value in words("0 101 -1 %2B5 1.5 1e1 0x10 all null 5,6 1_0")},
    **{f"limit={quote(value)}": LIMIT for value in ("", " 5", "5 ", "5\n", "5;6", "9" * 40)},
    **{f"limit={quote(digit)}": LIMIT for digit in "٥５²"},
    "sort=": None,
    **{f"sort={value}": None for value in words("foo Newest -newest id;-- slug")},
    "sort=relevance": None,
    "sort=relevance&q=": None,
    "sort=relevance&q=%20%20": None,
    f"q={'x' * 201}": LONG,
    f"query={'%C3%A9' * 201}": LONG,
    f"search={'x%20' * 1000}x": LONG,
    "cursor=": CURSOR,
    "cursor=" + "x" * 4000: CURSOR,
    **{f"cursor={value}": CURSOR for value in words("x %C3%A9 a:b a:b:c ::: '%20OR cD0y bz0yMA==")},
    "cursor=.eJw:1:x": CURSOR,
    "foo=1": None,
    "=1": None,
    "Q=pdf": None,
    "page=2": None,
    "offset=20": None,
    "format=json": None,
    "q[]=pdf": None,
    "limit%00=5": None,
    "%24where=1": None,
    "q=a&q=b": "q must be given at most once",
    "q=a&search=a": "q must be given at most once",
    "limit=5&limit=5": "limit must be given at most once",
    "sort=name&sort=name": "sort must be given at most once",
    "category=a&category=b": "category must be given at most once",
    "cursor=a&cursor=b": "cursor must be given at most once",
    **{f"{name}=%00": None for name in words("q category tag runtime author sort cursor")},
    **{f"q={value}": None for value in words("a%00b %FF %C0%AF %ED%A0%80 %E2%82 %F4%90%80%80")},
    "%FF=1": None,
    "foo=%00": None,
    "tag=a&tag=%00": None,
    "&".join(f"p{number}=1" for number in range(1000)): None,
    "&".join(["tag=a"] * 1000): None,
    "&".join(["q=a"] * 1000): None,
}
FREE = "free must be true or false"
MIN_RATING = "minRating must be a number from 1 to 5"
ONLY_PERSONAS = {
    "free=": FREE,
    **{f"free={value}": FREE for value in words("yes 1 0 True null")},
    "minRating=": MIN_RATING,
    **{
        f"minRating={value}": MIN_RATING
        for value in words("nan inf -inf 0 0.99 5.01 6 -1 four 4,5")
    },
    f"minRating={quote('٤')}": MIN_RATING,
    "minRating=" + "9" * 40: MIN_RATING,
    "minRating=4." + "9" * 4000: MIN_RATING,
    "skill=%00": None,
    "sort=downloads": None,
    "bundledIn=archivist": None,
}
ONLY_SKILLS = {
    "bundledIn=%00": None,
    "sort=rating": None,
    "sort=installs": None,
    "sort=price": None,
    "free=true": None,
    "minRating=4": None,
    "skill=pdf-tables": None,
}
RATING = "rating must be a whole number from 1 to 5"
ONLY_REVIEWS = {
    **{f"rating={quote(value)}": RATING for value in ("", "0", "6", "4.5", "+4", "٤", "4\n")},
    "rating=1&rating=2": "rating must be given at most once",
    "sort=rating": "sort must be one of newest, highest, lowest",
    "q=x": "Unknown query parameter 'q'. Allowed: cursor, limit, rating, sort",
    "rating=%00": None,
}
ANY_LIST = {"limit=0": LIMIT, "cursor=x": CURSOR, "foo=1": None, "cursor=%00": None, "x=%FF": None}
QUERIES = [
    (f"{query[:50]}", [Case("GET", f"{path}?{query}", 400, error) for path in paths])
    for table, paths in (
        (REFUSED, (SKILLS, PERSONAS)),
        (ONLY_PERSONAS, (PERSONAS,)),
        (ONLY_SKILLS, (SKILLS,)),
        (ONLY_REVIEWS, (PERSONA_REVIEWS,)),
        (ANY_LIST, (PERSONA_REVIEWS, REVIEWS)),
    )
    for query, error in table.items()
] + [
    # Other endpoints ignore parameters, unless they are not valid text.
    (
        f"{query} elsewhere",
        [
            *(Case("GET", f"{path}?{query}", 400) for path in (SKILL, PERSONA, ME, TOKENS)),
            *(Case("DELETE", f"{path}?{query}", 400) for path in (TOKEN, REVIEW)),
            *(replace(with_body(path, "{@}", 400), path=f"{path}?{query}") for path in VALID),
        ],
    )
    for query in words("q=%00 %00=1 x=%FF x=%ED%A0%80")
]

STRANGER = "mkt_agent_" + "0" * 32
AUTHENTICATION = "Authentication required"
CREDENTIALS = {
    "no header": None,
    "an empty header": "",
    "only spaces": "   ",
    "no scheme": "TOKEN",
    "no token": "Bearer",
    "a space for a token": "Bearer  ",
    "Basic": "Basic Y2FsbGVyOnNlY3JldA==",
    "Basic with the token": "Basic TOKEN",
    "Token": "Token TOKEN",
    "a scheme that begins alike": "BearerX TOKEN",
    "a colon": "Bearer: TOKEN",
    "an equals sign": "Bearer=TOKEN",
    "no space": "BearerTOKEN",
    "two tokens": "Bearer TOKEN TOKEN",
    "a list of two": "Bearer TOKEN, Bearer TOKEN",
    "in quotes": 'Bearer "TOKEN"',
    "one character more": "Bearer TOKENx",
    "a NUL behind": "Bearer TOKEN\0",
    "a byte beyond ASCII": "Bearer TOKEN\xff",
    "bytes that are not UTF-8": "Bearer \xff\xfe",
    "null": "Bearer null",
    "a well-formed stranger": f"Bearer {STRANGER}{checksum(STRANGER)}",
    "a token without its checksum": f"Bearer {STRANGER}",
    "only a prefix": "Bearer mkt_agent_",
    "an injection": "Bearer ' OR '1'='1",
    "8,000 characters": "Bearer mkt_agent_" + "0" * 8000,
    "Arabic digits": "Bearer mkt_agent_" + "٣".encode().decode("latin-1") * 38,
    "a JWT without a signature": "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
}
UNAUTHENTICATED = [
    (
        name,
        [
            Case(
                *(operation.method, operation.path, 401, AUTHENTICATION),
                headers=() if value is None else (("Authorization", value),),
            )
            for operation in quarter(PROTECTED, number)
        ],
    )
    for number, (name, value) in enumerate(CREDENTIALS.items())
] + [
    (
        "the token in the query string",
        [
            Case(
                *(operation.method, f"{operation.path}?access_token=TOKEN&token=TOKEN"),
                *(401, AUTHENTICATION),
                headers=(),
            )
            for operation in PROTECTED
        ],
    )
]

METHODS = words("GET POST PATCH PUT DELETE OPTIONS TRACE CONNECT PROPFIND BREW delete")
NOT_ALLOWED = [
    (
        method,
        [
            Case(method, path, 405, headers=())
            for path, allowed in ALLOWED.items()
            if method.upper() not in allowed  # Django reads `delete` as DELETE.
        ],
    )
    for method in METHODS
]
