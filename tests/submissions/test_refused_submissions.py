"""What is not taken as a submission, and why (contract 29)."""

import pytest

from infrastructure.server.sizes import MAX_BODY
from marketplace.application import TooLong
from submissions.models import Submission
from tests.factories import (
    SkillFactory,
    claim,
)
from tests.submissions.conftest import PERSONA, PROMPT, SKILL, TEXT, URL, zip_of


@pytest.mark.contract("29.4")
@pytest.mark.parametrize(
    "contents",
    [
        {"README.md": "Nothing."},
        {"a/SKILL.md": TEXT, "b/SKILL.md": TEXT},
        {"a/b/SKILL.md": TEXT},
        {"a/SKILL.md": TEXT, "LICENSE": "MIT"},
        {"SKILL.md": TEXT, "inner/SKILL.md": TEXT},
    ],
    ids=["none", "two", "too deep", "a file beside its folder", "one inside"],
)
def test_a_zip_holds_one_skill(author, contents):
    response = author.generic("POST", URL, zip_of(contents), content_type="application/zip")

    assert response.status_code == 400
    assert response.json() == {
        "error": "The zip must hold one SKILL.md, at its root or in one folder with all its files"
    }


@pytest.mark.contract("29.4")
def test_what_is_no_zip_is_refused(author):
    response = author.generic("POST", URL, b"PK no zip", content_type="application/zip")

    assert response.status_code == 400
    assert response.json() == {"error": "The file is not a readable zip"}


@pytest.mark.contract("29.6")
@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, "kind is required; content is required"),
        (SKILL | {"kind": "team"}, "kind must be one of skill, persona"),
        (
            {"kind": "skill", "content": TEXT.replace("pdf-tables", "PDF Tables")},
            "content: name must be a slug, such as pdf-tables",
        ),
        (
            {"kind": "skill", "content": TEXT.replace("name: pdf-tables\n", "")},
            "content: name must be a slug, such as pdf-tables",
        ),
        (
            {"kind": "skill", "content": "Do it."},
            "content: no frontmatter: the file must begin with fields between two lines of ---",
        ),
        (
            PERSONA | {"content": PROMPT.replace("license: MIT", "priceCents: 100")},
            "content: a submitted persona must be free",
        ),
        (
            PERSONA | {"content": PROMPT.replace("license: MIT", "priceCents: [1]")},
            (
                "content: a submitted persona must be free; "
                "content: priceCents must be a whole number of cents, 0 or more"
            ),
        ),
        (
            PERSONA | {"content": PROMPT.replace("license: MIT", "skills: [none, draft]")},
            (
                "content: no published skill is called draft; "
                "content: no published skill is called none"
            ),
        ),
        (PERSONA | {"files": [{"path": "a", "content": ""}]}, "files must be empty for a persona"),
        (
            {
                "kind": "persona",
                "content": PROMPT.replace("archivist", "[a]\npriceCents: 1\nskills: none")
                + "\u202e",
                "files": [{"path": "a", "content": ""}],
                "baseNumber": 0,
            },
            (
                "baseNumber must be a whole number from 1 to 2147483647; "
                "files must be empty for a persona; "
                "content: delete what nobody can see: persona.md, line 10: "
                "U+202E RIGHT-TO-LEFT OVERRIDE; "
                "content: name must be a slug, such as pdf-tables; "
                "content: a submitted persona must be free; "
                "content: no published skill is called none"
            ),
        ),
        (
            {
                "kind": "skill",
                "content": TEXT.replace("pdf-tables", "a" * 65),
                "files": [
                    {"path": "a/b/c", "content": ""},
                    {"path": "A/B", "content": ""},
                    {"path": "..", "content": ""},
                ],
                "note": 1,
            },
            (
                "note must be a string; "
                "files[2].path: The upload holds a path that is not allowed: ..; "
                "files[0].path is below another file; "
                "content: name must be a slug, such as pdf-tables"
            ),
        ),
        (SKILL | {"files": "a"}, "files must be a list of objects"),
        (SKILL | {"files": [{}] * 5001}, "files must be at most 5,000 objects"),
        (
            SKILL
            | {
                "files": [
                    {"path": "skill.md", "content": TEXT},
                    {"path": "a", "content": "%", "encoding": "base64"},
                    {"path": "a", "content": 1, "executable": "yes"},
                    {"path": "../b", "content": "", "encoding": "hex"},
                    {},
                    {"path": "./SKILL.md", "content": TEXT},
                    {"path": "SKILL.md/a", "content": ""},
                    {"path": "./a", "content": ""},
                ]
            },
            (
                "files[0].path must not be SKILL.md: send its text as content; "
                "files[1].content must be base64; "
                "files[2].path is there twice; files[2].content must be a string; "
                "files[2].executable must be a boolean; "
                "files[3].path: The upload holds a path that is not allowed: ../b; "
                "files[3].encoding must be base64; "
                "files[4].path is required; files[4].content is required; "
                "files[5].path must not be SKILL.md: send its text as content; "
                "files[6].path must not be SKILL.md: send its text as content; "
                "files[7].path is there twice"
            ),
        ),
        (SKILL | {"baseNumber": "1"}, "baseNumber must be a whole number from 1 to 2147483647"),
        (SKILL | {"note": "x" * 1001}, "note must be at most 1000 characters"),
        (SKILL | {"note": "a\u202eb"}, "note must not contain hidden characters"),
    ],
)
def test_every_fault_is_named_by_its_field(author, body, error):
    SkillFactory(slug="draft", status="draft")

    response = author.post(URL, body)

    assert (response.status_code, response.json()) == (400, {"error": error})
    assert not Submission.objects.exists()


@pytest.mark.contract("29.6")
@pytest.mark.parametrize(
    ("contents", "query", "error"),
    [
        (
            {
                "SKILL.md": f"{TEXT.replace('MIT', 'a' * 501)}\u202e",
                **dict.fromkeys(["a", "A", "CON"], ""),
            },
            "baseNumber=x",
            (
                "baseNumber must be a whole number from 1 to 2147483647; "
                "content: delete what nobody can see: SKILL.md, line 8: "
                "U+202E RIGHT-TO-LEFT OVERRIDE; "
                "content: CON is a name that Windows forbids; a and A differ in case only; "
                "content: license: Ensure this value has at most 300 characters (it has 501)."
            ),
        ),
        (
            {"README.md": "Nothing."},
            "note=a&note=b&baseNumber=0",
            (
                "note must be given at most once; "
                "baseNumber must be a whole number from 1 to 2147483647; "
                "The zip must hold one SKILL.md, at its root or in one folder with all its files"
            ),
        ),
        (
            {"SKILL.md": TEXT, "../a": ""},
            "note=%ff",
            (
                "Query string must be percent-encoded UTF-8; "
                "The upload holds a path that is not allowed: ../a"
            ),
        ),
    ],
    ids=["its files", "no skill", "a path"],
)
def test_every_fault_of_a_zip_is_named(author, contents, query, error):
    packed = zip_of(contents)

    response = author.generic("POST", f"{URL}?{query}", packed, content_type="application/zip")

    assert (response.status_code, response.json()) == (400, {"error": error})


@pytest.mark.contract("29.6")
def test_hidden_characters_are_refused(author):
    response = author.post(URL, SKILL | {"content": TEXT + "\U000e0041"})

    assert response.status_code == 400
    assert response.json() == {
        "error": (
            "content: delete what nobody can see: SKILL.md, line 8: "
            'hidden tag characters that say "A"'
        )
    }


@pytest.mark.contract("29.3")
def test_only_claimed_agents_submit(settings, agent, author):
    settings.SUBMISSIONS = "claimed"
    refused = author.post(URL, b"no JSON")
    claim(agent)

    assert refused.status_code == 403
    assert refused.json() == {"error": "Only claimed agents can submit"}
    assert author.post(URL, SKILL).status_code == 201


@pytest.mark.contract("29.3")
def test_submitting_needs_its_scope(client):
    response = client.post(URL, SKILL)

    assert response.status_code == 403
    assert response.json() == {"error": "Insufficient permissions"}
    assert 'scope="submit"' in response["WWW-Authenticate"]


@pytest.mark.contract("29.4")
@pytest.mark.parametrize(
    ("content_type", "size", "status", "error"),
    [
        ("text/plain", 5, 415, "Content-Type must be application/json or application/zip"),
        ("application/json", 1024**2 + 1, 413, "Request body is too large"),
        ("application/zip", 10 * 1024**2 + 1, 413, "Request body is too large"),
    ],
)
def test_bodies_of_other_kinds_and_sizes_are_refused(author, content_type, size, status, error):
    response = author.generic("POST", URL, b"x" * size, content_type=content_type)

    assert (response.status_code, response.json()) == (status, {"error": error})


@pytest.mark.contract("29.4")
@pytest.mark.parametrize("content_type", ["application/json", "application/zip"])
def test_a_long_body_in_chunks_is_too_large(author, content_type):
    # As the server reads them.
    chunks = {"wsgi.input": TooLong(), "CONTENT_LENGTH": MAX_BODY + 1}

    response = author.generic("POST", URL, **chunks, CONTENT_TYPE=content_type)

    assert response.status_code == 413
    assert response.json() == {"error": "Request body is too large"}
