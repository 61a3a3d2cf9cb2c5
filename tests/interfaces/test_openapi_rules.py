"""What linters of OpenAPI require: who may call, whom to ask, and that a text may not be empty"""

import json
from operator import attrgetter

import pytest

from interfaces.openapi.document import contact, document
from tests.external import npm_program, run, tried
from tests.registry import OPERATION, OPERATIONS, descriptions, prepare, resolved

# The versions that the tests were written against; look at a newer one before raising it.
REDOCLY = "@redocly/cli@2.77.0"
SPECTRAL = "@stoplight/spectral-cli@6.16.3"
# OpenAPI 3.1 lets `security` name roles of any scheme. The rule is that of 3.0.
RULE_OF_3_0 = "oas3-operation-security-defined"


@pytest.mark.contract("1.11")
def test_a_public_operation_says_that_it_needs_no_token():
    public = {name for name, (_, about) in descriptions().items() if about["security"] == []}

    assert public == {operation.name for operation in OPERATIONS if operation.scope is None}


@pytest.mark.contract("1.11")
@pytest.mark.parametrize(
    ("address", "more"),
    [
        ("", {}),
        ("staff@market.example", {"email": "staff@market.example"}),
        ("https://market.example/help", {"url": "https://market.example/help"}),
    ],
)
def test_it_names_the_license_and_whom_to_ask(settings, address, more):
    settings.STAFF_CONTACT = address

    assert contact() == {"name": "The staff of this marketplace", **more}
    assert document()["info"]["contact"]["name"] == "The staff of this marketplace"
    assert document()["info"]["license"] == {
        "name": "Apache License 2.0",
        "identifier": "Apache-2.0",
    }


# Other reports ignore it.
NEEDED_BY = {"reviewId": {"kind": "review"}}


def texts_of(schema):
    """The texts of a body that are not one of several."""
    for name, field in schema.get("properties", {}).items():
        types = field["type"] if isinstance(field["type"], list) else [field["type"]]
        if "string" in types and "enum" not in field:
            yield name, field


@pytest.mark.contract("1.11")
@pytest.mark.parametrize(
    "operation", [o for o in OPERATIONS if list(texts_of(o.schema))], ids=attrgetter("name")
)
def test_an_empty_text_is_refused_where_its_minimum_length_says_so(client, agent, operation):
    prepare(agent)

    for name, field in texts_of(operation.schema):
        response = client.generic(
            operation.method,
            operation.url,
            json.dumps({**operation.body, **NEEDED_BY.get(name, {}), name: ""}),
        )

        is_refused = response.status_code == 400
        assert is_refused == bool(field.get("minLength")), (name, response.content)


@pytest.mark.contract("1.11")
@pytest.mark.parametrize("name", ["list_skills", "list_changes", "list_reviews"])
def test_a_cursor_has_a_minimum_length(client, agent, name):
    prepare(agent)
    [cursor] = OPERATION[name].parameters.keys() & {"cursor", "since"}

    response = client.get(OPERATION[name].path, {cursor: ""})

    assert (response.status_code, response.json()) == (400, {"error": "cursor is invalid"})
    assert OPERATION[name].parameters[cursor] == {"type": "string", "minLength": 1}


def test_a_text_in_a_path_is_not_empty():
    schemas = [
        resolved(part)["schema"]
        for _, about in descriptions().values()
        for part in about.get("parameters", [])
        if resolved(part)["in"] == "path" and resolved(part)["schema"]["type"] == "string"
    ]

    assert schemas
    assert all(schema.keys() & {"minLength", "pattern"} for schema in schemas)


@pytest.fixture
def described(tmp_path):
    (tmp_path / "openapi.json").write_text(json.dumps(document()))
    return tmp_path


@pytest.mark.external
def test_redocly_has_no_complaint(described, pytestconfig):
    redocly = npm_program(pytestconfig, REDOCLY, "redocly")

    report = json.loads(run(described, *redocly, "lint", "openapi.json", "--format", "json"))

    assert report["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


@pytest.mark.external
def test_spectral_complains_of_a_rule_of_openapi_3_0_alone(described, pytestconfig):
    spectral = npm_program(pytestconfig, SPECTRAL, "spectral")
    (described / "rules.yaml").write_text('extends: ["spectral:oas"]\n')

    done = tried(
        described,
        *(*spectral, "lint", "openapi.json", "--ruleset", "rules.yaml", "--format", "json"),
    )

    assert {problem["code"] for problem in json.loads(done.stdout)} == {RULE_OF_3_0}
