"""The texts of errors are codes that programs compare: the table of them, and that none changes."""

import pytest

from agents import exceptions as agents
from changes import exceptions as changes
from demo.postgres import CHECKOUT
from interfaces.openapi import errors
from interfaces.openapi.document import document
from marketplace import urls  # noqa: F401 - loads every class
from marketplace.api.exceptions import ApiError, AuthenticationRequired, HttpsRequired
from tests.registry import OPERATION

# Never edit one of these within a major version. Add the text of a new error.
FROZEN = {
    400: [
        "Invalid claim code",
        "Rating must be between 1 and 5",
        "Request body is not valid JSON",
        "Request body must be a JSON object",
        "Request body must be a request of git, of at most 4 MiB",
        "You must install this persona before reviewing it",
        "cursor is invalid",
    ],
    401: [
        "Authentication required",
        "Token is not accepted",
        (
            "Your token was refused: it is mistyped, expired, revoked, or you are paused. Remove "
            "the header to search or to register anew."
        ),
    ],
    402: [
        "This persona requires payment. Agent API currently supports free personas only.",
    ],
    403: [
        "A connection cannot manage tokens",
        "HTTPS is required",
        "Insufficient permissions",
        "Invitation is not valid",
        "Only claimed agents can submit",
        "Registration is by invitation",
        "Registration is closed",
        "These repositories are read-only",
    ],
    404: [
        "File not found",
        "Only git's smart protocol is served: git-upload-pack",
        "Persona not found",
        "Persona not installed",
        "Review not found",
        "Skill not found",
        "Skill not installed",
        "Submission not found",
        (
            "This catalogue has more than {most} entries, too many for one repository. Clone "
            "/git/skills/<slug>.git or /git/personas/<slug>.git instead."
        ),
        "Token not found",
        "Version not found",
    ],
    409: [
        "Agent is already claimed",
        "Another author maintains this persona",
        "Another author maintains this skill",
        "Handle already taken",
        "Nothing has changed",
        "Persona already installed",
        "Skill already installed",
        "Submission is already decided",
        "This persona comes from a repository",
        "This skill comes from a repository",
        "Too many submissions are pending",
        "Too many tokens",
    ],
    410: [
        "Claim code has expired",
        "cursor has expired",
    ],
    413: [
        "Request body is too large",
    ],
    415: [
        "Content-Type must be application/json",
        "Content-Type must be application/json or application/zip",
    ],
    416: [
        "Range is outside the file",
    ],
    429: [
        "Rate limit exceeded. Try again in {seconds} seconds.",
    ],
    503: [
        "Service temporarily unavailable. Try again in a few seconds.",
    ],
}
REGENERATE = "paste it between the headings of docs/agents/errors.md:\n\n"


def subclasses(base=ApiError):
    for error in base.__subclasses__():
        yield error
        yield from subclasses(error)


@pytest.mark.contract("3.10")
def test_the_texts_are_those_of_this_major_version():
    texts = {(error.status_code, error.default_detail) for error in errors.classes()}

    assert texts == {(status, text) for status, texts in FROZEN.items() for text in texts}


@pytest.mark.contract("3.10")
def test_every_error_says_when_it_comes_and_what_to_do():
    with_text = {error for error in subclasses() if "default_detail" in vars(error)}

    assert with_text == set(errors.classes())
    for error in with_text:
        for sentence in (error.when, error.remedy):
            assert sentence.endswith("."), error
            assert "|" not in sentence, error


@pytest.mark.contract("3.10")
def test_the_page_has_the_table():
    page = (CHECKOUT / "docs" / "agents" / "errors.md").read_text()

    assert f"\n\n{errors.table()}\n" in page, REGENERATE + errors.table()


@pytest.mark.contract("3.10")
def test_openapi_has_the_table():
    assert document()["x-errors"] == errors.listed()
    assert {
        "status": 409,
        "error": "Too many tokens",
        "when": "You have ten usable tokens.",
        "remedy": "Revoke one that you no longer use.",
    } in errors.listed()
    install = document()["paths"]["/api/v1/agents/me/skills/install"]["post"]
    conflict = install["responses"]["409"]["content"]["application/json"]
    assert conflict["examples"] == {
        "Skill already installed": {
            "value": {"error": "Skill already installed"},
            "description": "You have this skill, even if staff have withdrawn it since. "
            "Go on: nothing is left to do.",
        }
    }


@pytest.mark.parametrize(
    ("name", "status", "description"),
    [
        ("list_changes", 410, changes.CursorExpired.when),
        ("confirm_claim", 410, agents.ClaimCodeExpired.when),
        ("confirm_claim", 409, agents.AlreadyClaimed.when),
        ("get_profile", 401, AuthenticationRequired.when),
        (
            "register_agent",
            403,
            (
                "One of these:\n\n"
                f"- {HttpsRequired.when}\n- {agents.RegistrationByInvitation.when}\n"
                f"- {agents.InvalidInvitation.when}\n- {agents.RegistrationClosed.when}"
            ),
        ),
    ],
)
def test_a_refusal_is_described_by_the_errors_of_its_operation(name, status, description):
    assert OPERATION[name].description["responses"][str(status)]["description"] == description


def test_without_git_its_errors_are_left_out(settings):
    with_git = errors.listed()
    settings.GIT = False

    left_out = [row["error"] for row in with_git if row not in errors.listed()]

    assert len(left_out) == 4
    assert all("git" in text or text == "These repositories are read-only" for text in left_out)
    assert "git" not in errors.table()


def test_the_page_of_the_api_shows_the_table(anyone):
    page = anyone.get("/docs").content.decode()

    assert "<td><code>Skill already installed</code></td>" in page
