"""The form of a request in the tables of hostile requests, and the URLs of the registry."""

from dataclasses import dataclass, replace

from tests.registry import OPERATION, OPERATIONS, WITH_BODY


def path_of(name):
    return OPERATION[name].path


SKILLS, SKILL = path_of("list_skills"), path_of("get_skill")
PERSONAS, PERSONA = path_of("list_personas"), path_of("get_persona")
REGISTER, ME = path_of("register_agent"), path_of("get_profile")
CONFIRM, REVOKE = path_of("confirm_claim"), path_of("revoke_leaked_token")
TOKENS, ROTATE, TOKEN = map(path_of, ("list_tokens", "rotate_token", "revoke_token"))
INSTALL_SKILL, INSTALL_PERSONA = path_of("install_skill"), path_of("install_persona")
REVIEWS, REVIEW = path_of("submit_review"), path_of("delete_review")
PERSONA_REVIEWS, REPORTS = path_of("list_reviews"), path_of("submit_report")
SUBMISSIONS = path_of("submit")
CHANGES, ROOT = path_of("list_changes"), path_of("get_root")


def words(text):
    """Split a short table at white space."""
    return text.split()


def allowed_at(path):
    """The value of `Allow`, in which HEAD goes with GET."""
    methods = {operation.method for operation in OPERATIONS if operation.path == path}
    methods |= {"HEAD"} if "GET" in methods else set()
    return ", ".join(method for method in words("GET HEAD POST PATCH DELETE") if method in methods)


ALLOWED = {operation.path: allowed_at(operation.path) for operation in OPERATIONS}
# Members that each endpoint accepts, so that it can refuse only the hostile part. In a body, `@`
# stands for them.
VALID = {operation.path: operation.members for operation in WITH_BODY}


@dataclass(frozen=True)
class Case:
    """A request and its exact status, and the `error` if the contract fixes the text.

    In a header, `TOKEN` stands for the token of the agent, `SPARE` for another of its tokens.
    """

    method: str
    path: str
    status: int
    error: str | None = None
    body: bytes = b""
    content_type: str = "application/json"
    headers: tuple = (("Authorization", "Bearer TOKEN"),)


def with_body(path, body, status, error=None, content_type="application/json"):
    body = body.encode() if isinstance(body, str) else body
    body = body.replace(b"@", VALID[path].encode())
    case = Case("PATCH" if path == ME else "POST", path, status, error, body, content_type)
    # Rotating ends the token of the request, which other cases still need.
    return replace(case, headers=(("Authorization", "Bearer SPARE"),)) if path == ROTATE else case


def quarter(targets, number):
    """Every fourth target; four numbers in a row have all of them.

    Endpoints share the code that reads bodies and tokens, so sending each case to each endpoint
    proves no more than sending each case to some, and some cases to each.
    """
    return [*targets][number % 4 :: 4]


def name_of(path):
    return path.removeprefix("/api/v1/").removeprefix("agents/")
