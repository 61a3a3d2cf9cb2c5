"""The description of the API, and the page that shows it. tests/openapi_contract.py compares every
response of the suite with it.
"""

import json
import re
from io import StringIO
from operator import attrgetter
from pathlib import Path

import pytest
from django.core.management import call_command
from openapi_spec_validator import validate

from interfaces.openapi.document import document
from tests.environments import start
from tests.factories import SkillFactory
from tests.openapi_contract import assert_as_described, operation_of, validator
from tests.registry import OPERATION, OPERATIONS, descriptions

URL = "/api/v1/openapi.json"
# A release appends its new operations. Remove one a year after the release that deprecates it.
RELEASED = Path(__file__).with_name("released_operations.txt").read_text().splitlines()
ADD = "add each of these to OPERATIONS in tests/registry.py, with its scope, policy and budget"
LIMIT = re.compile(r"Rate limit `([\w-]+)`")


def test_it_is_valid():
    validate(document())
    assert document()["openapi"] == "3.1.0"


@pytest.mark.contract("1.13")
def test_every_released_operation_is_still_there(anyone):
    paths = anyone.get(URL).json()["paths"]
    served = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}

    assert RELEASED
    assert set(RELEASED) - served == set()


# In a process of its own, in which nobody has made the document yet.
IN_THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
import django
django.setup()
from interfaces.openapi.document import document
sys.setswitchinterval(1e-5)
with ThreadPoolExecutor(8) as pool:
    print(len({id(made) for made in pool.map(lambda _: document(), range(8))}))
"""


@pytest.mark.servers
def test_several_threads_may_be_the_first_to_make_it():
    done = start("-c", IN_THREADS)

    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr


PRINTED = """
import json
import django
django.setup()
from interfaces.openapi.document import document
print(json.dumps(document()))
"""


@pytest.mark.servers
def test_it_is_the_same_in_every_process():
    first, second = (
        start("-c", PRINTED, PYTHONHASHSEED=seed, SUBMISSIONS="open").stdout for seed in ("1", "2")
    )

    assert first == second
    assert json.loads(first) == document()


def test_drf_spectacular_has_nothing_to_warn_of():
    written = StringIO()

    # Its own validation takes three seconds, and test_it_is_valid validates by 3.1.
    call_command("spectacular", "--fail-on-warn", stdout=written)

    assert "openapi: 3.1.0" in written.getvalue()


@pytest.mark.contract("1.11")
def test_the_registry_has_every_operation():
    assert set(descriptions()) - set(OPERATION) == set(), ADD
    assert set(OPERATION) - set(descriptions()) == set(), "the document has lost these"
    assert len(OPERATION) == len(OPERATIONS)


@pytest.mark.parametrize("operation", OPERATIONS, ids=attrgetter("name"))
def test_it_describes_an_operation_as_the_registry_does(operation):
    method, path, about = operation.method, operation.path, operation.description
    scopes = [way["bearer"][0] for way in about["security"]]
    policy = LIMIT.search(about["description"])

    assert operation_of(method, path) == about
    assert scopes == operation.scopes
    assert (policy and policy[1]) == operation.policy
    assert ("429" in about["responses"]) == (operation.policy is not None)
    refuses_tokens = operation.scope is not None or operation.name == "exchange_token"
    assert ("401" in about["responses"]) == refuses_tokens
    assert str(operation.status) in about["responses"]
    assert ("requestBody" in about) == operation.has_body


def names_in(part):
    """The names of all properties that a part of the document describes."""
    if isinstance(part, list):
        return {name for item in part for name in names_in(item)}
    if not isinstance(part, dict):
        return set()
    return set(part.get("properties", {})) | names_in(list(part.values()))


@pytest.mark.contract("1.1")
def test_every_path_is_below_the_version_and_every_name_is_in_camel_case():
    parameters = {name for operation in OPERATIONS for name in operation.parameters}
    names = names_in(document()["components"]["schemas"]) | parameters

    assert {path for path in document()["paths"] if not f"{path}/".startswith("/api/v1/")} == set()
    assert {"slug", "setActive", "bundledIn"} <= names
    # The distribution of ratings is by stars.
    others = {name for name in names if not re.fullmatch("[a-z]+([A-Z][a-z]*)*", name)}
    assert others == set("12345")


def texts_in(part):
    """The texts of all descriptions in a part of the document; a property may have that name."""
    if isinstance(part, list):
        return {text for item in part for text in texts_in(item)}
    if not isinstance(part, dict):
        return set()
    text = part.get("description")
    return ({text} if isinstance(text, str) else set()) | texts_in(list(part.values()))


def test_every_description_is_whole_sentences():
    texts = texts_in(document()["components"]) | texts_in(document()["paths"])

    assert "The `slug` of the entry in the catalogue." in texts
    assert {text for text in texts if not re.fullmatch(r"[A-Z`].*[.:]", text, re.DOTALL)} == set()


@pytest.mark.contract("1.6")
def test_no_operation_responds_with_a_page():
    media_types = {
        media_type
        for _, operation in descriptions().values()
        for response in operation["responses"].values()
        for media_type in response.get("content", {})
    }

    assert "application/json" in media_types
    assert "text/html" not in media_types


@pytest.mark.parametrize("name", descriptions())
def test_its_examples_are_as_it_describes_them(name):
    _, operation = descriptions()[name]
    parts = [*operation["responses"].values(), operation.get("requestBody", {})]
    contents = [content for part in parts for content in part.get("content", {}).values()]

    for content in contents:
        examples = content.get("examples", {"only": {"value": content.get("example")}})
        for example in examples.values():
            validator(content["schema"]["$ref"]).validate(example["value"])


def test_a_limited_operation_tells_its_limit_and_the_headers_of_a_429():
    operation = OPERATION["install_skill"].description

    assert operation["description"].endswith("Rate limit `install`: 20/h in the free tier.")
    assert set(operation["responses"]["429"]["headers"]) == {
        "Retry-After",
        "RateLimit",
        "RateLimit-Policy",
    }


def test_an_operation_without_a_body_names_no_error_of_bodies():
    responses = OPERATION["delete_review"].description["responses"]

    assert not {"413", "415"} & responses.keys()
    assert "personaSlug is required" not in str(responses)


@pytest.mark.parametrize("url", [URL, f"{URL}/"])
def test_anyone_may_read_it_without_a_query(anyone, django_assert_num_queries, url):
    with django_assert_num_queries(0):
        response = anyone.get(url, headers={"Origin": "https://elsewhere.example"})

    assert response.status_code == 200
    assert response.json() == document()
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "public, max-age=300"
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_it_is_not_sent_again_to_who_has_it(anyone):
    etag = anyone.get(URL).headers["ETag"]

    again = anyone.get(URL, headers={"If-None-Match": etag})

    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)


def test_it_answers_head_and_refuses_other_methods(anyone):
    head = anyone.head(URL)
    post = anyone.post(URL)

    assert (head.status_code, head.content) == (200, b"")
    assert post.status_code == 405
    assert post.headers["Allow"] == "GET, HEAD"
    assert post.json() == {"error": "Method POST is not allowed here; use GET, HEAD"}


class Altered:
    """A response with something changed."""

    def __init__(self, response, *, status=None, without=None, **changes):
        self.status_code = status or response.status_code
        self.headers = {name: value for name, value in response.headers.items() if name != without}
        self.content = json.dumps({**response.json(), **changes}).encode()


@pytest.mark.contract("1.11")
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"status": 418}, "get_skill does not describe"),
        ({"without": "ETag"}, "without {'etag'}"),
        ({"downloads": "many"}, 'is not of type "integer"'),
        ({"secret": 1}, "Additional properties are not allowed"),
        ({"createdAt": "2026-13-32T09:05:00.000Z"}, 'is not a "date-time"'),
    ],
    ids=["status", "header", "type", "more", "format"],
)
def test_a_response_that_is_not_as_described_fails_its_test(anyone, change, complaint):
    SkillFactory(slug="pdf-tables")
    response = anyone.get("/api/v1/skills/pdf-tables")

    with pytest.raises(AssertionError, match=complaint):
        assert_as_described("GET", "/api/v1/skills/pdf-tables", Altered(response, **change))


def test_a_response_that_nothing_describes_fails_its_test(anyone):
    response = anyone.get("/api/v1/skills")

    with pytest.raises(AssertionError, match="of which the document knows nothing"):
        assert_as_described("GET", "/api/v1/nowhere", response)


@pytest.mark.parametrize("url", ["/docs", "/docs/"])
def test_the_page_is_kept_by_whoever_reads_it(anyone, django_assert_num_queries, url):
    with django_assert_num_queries(0):
        page = anyone.get(url)
        again = anyone.get(url, headers={"If-None-Match": page.headers["ETag"]})

    assert (page.status_code, again.status_code) == (200, 304)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "public, no-cache"
    assert anyone.head(url).headers["ETag"] == page.headers["ETag"]
    assert "style-src 'self';" in page.headers["Content-Security-Policy"]
    assert "unsafe" not in page.headers["Content-Security-Policy"]


@pytest.mark.contract("8.20")
@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("list_skills", "/api/v1/skills?colour=red"),
        ("list_skills", "/api/v1/skills?q=a&q=b"),
        ("list_skills", f"/api/v1/skills?q={'x' * 201}"),
        ("list_skills", "/api/v1/skills?limit=0"),
        ("list_skills", "/api/v1/skills?sort=best"),
        ("list_skills", "/api/v1/skills?sort=relevance"),
        ("list_personas", "/api/v1/personas?free=maybe"),
        ("list_personas", "/api/v1/personas?minRating=9"),
        ("list_reviews", "/api/v1/personas/archivist/reviews?rating=4.5"),
        ("list_facets", "/api/v1/facets"),
        ("list_facets", "/api/v1/facets?kind=agent"),
        ("list_changes", "/api/v1/changes?kind=agent"),
    ],
)
def test_a_refused_parameter_is_among_the_examples(anyone, name, url):
    bad_request = OPERATION[name].description["responses"]["400"]["content"]["application/json"]

    response = anyone.get(url)

    assert response.status_code == 400
    assert {"value": response.json()} in bad_request["examples"].values()
