"""Hypothesis strategies: requests that are valid but for one or two parts."""

import json

from hypothesis import strategies as st

from tests.system import fuzz_dictionary
from tests.system.operations import FULL, OPERATIONS, escaped, request


class Members(list):
    """A JSON object as pairs, which may repeat a name."""


class Literal(str):
    """A value as text, valid JSON or not."""

    __slots__ = ()


def as_json(value, *, ascii_only=True):
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, Members):
        pairs = (
            f"{json.dumps(str(name), ensure_ascii=ascii_only)}: "
            f"{as_json(item, ascii_only=ascii_only)}"
            for name, item in value
        )
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(as_json(item, ascii_only=ascii_only) for item in value) + "]"
    return json.dumps(value, ensure_ascii=ascii_only)


def members(names, values, *, max_size=4):
    return st.lists(st.tuples(names, values), max_size=max_size).map(Members)


# With surrogates, which st.text() leaves out; JSON escapes them.
TEXT = st.text(st.characters(), max_size=50) | st.sampled_from(fuzz_dictionary.TEXTS)
NUMBER = (
    st.integers()
    | st.integers(-(10**400), 10**400)
    | st.floats()
    | st.floats(0.5, 5.5)
    | st.sampled_from(fuzz_dictionary.NUMBERS).map(Literal)
)
SCALAR = (
    st.none() | st.booleans() | NUMBER | TEXT | st.sampled_from(fuzz_dictionary.JSON).map(Literal)
)
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=4) | members(TEXT, inner), max_leaves=12
)
LATIN_1 = st.text(st.characters(max_codepoint=255), max_size=40)
PRINTABLE = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=40)
NAME = st.from_regex(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,20}", fullmatch=True)

METHOD = st.sampled_from(fuzz_dictionary.METHODS) | st.from_regex(r"[A-Z]{1,10}", fullmatch=True)
SEGMENT = TEXT.map(escaped) | PRINTABLE
TARGET = (
    st.sampled_from(fuzz_dictionary.TARGETS)
    | st.builds("/api/v1/{}/{}".format, st.sampled_from(fuzz_dictionary.FOLDERS), SEGMENT)
    | PRINTABLE.map("/{}".format)
    | PRINTABLE
    | LATIN_1
)
QUERY = st.builds(
    "?{}{}".format, st.sampled_from(["", "q=", "tag=", "limit=", "sort=", "cursor="]), PRINTABLE
)
CONTENT_TYPE = st.builds(
    "{}; {}={}; {}={}".format,
    st.sampled_from(fuzz_dictionary.MEDIA_TYPES),
    *(
        st.sampled_from(fuzz_dictionary.PARAMETER) | NAME,
        st.sampled_from(fuzz_dictionary.PARAMETER_VALUES),
    ),
    *(st.sampled_from(fuzz_dictionary.PARAMETER) | NAME, LATIN_1),
)
HEADER = (
    st.sampled_from(sorted(fuzz_dictionary.HEADERS)).flatmap(
        lambda name: st.tuples(
            st.just(name), st.sampled_from(fuzz_dictionary.HEADERS[name]) | LATIN_1
        )
    )
    | st.tuples(st.just("Content-Type"), CONTENT_TYPE)
    | st.tuples(NAME, LATIN_1)
)
PARTS = ["method", "target", "parameters", "query", "headers", "body", "token", "version"]


@st.composite
def requests(draw):
    operation = draw(st.sampled_from(OPERATIONS))
    fuzzed = draw(st.sets(st.sampled_from(PARTS), min_size=1, max_size=2))
    made = request(
        operation,
        slug=draw(st.sampled_from(operation.slugs or [""])),
        parameters=draw(
            fuzzed_parameters(operation) if "parameters" in fuzzed else parameters(operation)
        ),
        body=draw(fuzzed_body(operation) if "body" in fuzzed else body(operation)),
        token=draw(st.sampled_from(callers(operation, fuzzed))),
    )
    if "method" in fuzzed:
        made.method = draw(METHOD)
    if "target" in fuzzed:
        made.target = draw(TARGET)
    if "query" in fuzzed:
        made.target += draw(QUERY)
    if "version" in fuzzed:
        made.version = draw(st.sampled_from(fuzz_dictionary.VERSIONS))
    if "headers" in fuzzed:
        for name, value in draw(st.lists(HEADER, min_size=1, max_size=3)):
            if draw(st.booleans()):
                made.headers = [header for header in made.headers if header[0] != name]
            made.headers.append((name, value))
    return made


def callers(operation, fuzzed):
    # After a rotation, a token with few scopes would be refused for the rest of the run.
    is_narrow = "token" in fuzzed and operation.callers == FULL
    return fuzz_dictionary.NARROW if is_narrow else operation.callers


def parameters(operation):
    if not operation.parameters:
        return st.just([])
    pairs = [(name, value) for name, values in operation.parameters.items() for value in values]
    return st.lists(st.sampled_from(pairs), max_size=3, unique_by=lambda pair: pair[0])


def fuzzed_parameters(operation):
    names = st.sampled_from([*fuzz_dictionary.PARAMETER_NAMES, *operation.parameters])
    values = TEXT | st.sampled_from(fuzz_dictionary.NUMBERS)
    return st.tuples(
        parameters(operation), st.lists(st.tuples(names | TEXT, values), min_size=1, max_size=3)
    ).map(lambda both: both[0] + both[1])


def valid_members(operation):
    fields = {name: st.sampled_from(values) for name, values in operation.fields.items() if values}
    required = {name: fields.pop(name) for name in operation.required}
    return st.fixed_dictionaries(required, optional=fields).map(lambda data: Members(data.items()))


def body(operation):
    return valid_members(operation).map(encoded) if operation.has_body else st.just(b"")


def fuzzed_body(operation):
    names = st.sampled_from(sorted(operation.fields) or ["a"])
    valid = valid_members(operation)
    changed = st.builds(
        lambda members, name, value: Members(
            [*(m for m in members if m[0] != name), (name, value)]
        ),
        *(valid, names, VALUE),
    )
    added = st.builds(lambda *both: Members(both[0] + both[1]), valid, members(names | TEXT, VALUE))
    data = changed | added | members(names | TEXT, VALUE) | VALUE
    return (
        st.builds(encoded, data, ascii_only=st.booleans())
        | st.builds(lambda members, cut: encoded(members)[:cut], valid, st.integers(0, 60))
        | st.builds(lambda members, size: encoded(members).ljust(size), valid, SIZE)
        | st.binary(max_size=200)
    )


SIZE = st.sampled_from([65_535, 65_536, 65_537, 200_000])


def encoded(value, *, ascii_only=True):
    return as_json(value, ascii_only=ascii_only).encode("utf-8", "surrogatepass")
