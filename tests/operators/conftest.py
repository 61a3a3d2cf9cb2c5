from contextlib import contextmanager
from copy import deepcopy

import pytest
from django.http import HttpResponse
from django.test import Client

from agents.models import OperatorKey
from operators import sessions
from operators.actions import ACTIONS
from tests.browser import untouched_form
from tests.factories import AgentFactory, PersonaInstallFactory, SkillInstallFactory, claim
from tests.registry import send_submission


class OperatorBrowser(Client):
    """An operator's browser: it must send CSRF tokens, and sends forms as a browser does.

    With a key it is logged in from the start, without the form, which takes two requests.
    """

    def __init__(self, key=None):
        super().__init__(enforce_csrf_checks=True, raise_request_exception=False)
        if key is not None:
            response = HttpResponse()
            sessions.begin(response, OperatorKey.objects.of_text(key))
            self.cookies.update(response.cookies)

    def submit(self, path, **fields):
        """Open a page, fill in its form and send it; go on to what is shown once."""
        form = untouched_form(self.get(path)) | fields
        response = self.post(path, form, headers={"Origin": "http://testserver"})
        return self.get(response["Location"]) if "shown-once" in response.cookies else response

    def log_in(self, key):
        self.cookies.clear()
        return self.submit("/operator", key=key)


@pytest.fixture
def operator(db):
    """The browser of an operator who has no key yet."""
    return OperatorBrowser()


@pytest.fixture
def url(agent):
    """The claim page of `agent`."""
    return f"/claim/{agent.claim.secret}"


@pytest.fixture
def key(agent):
    """The operator key with which `agent` was claimed."""
    return claim(agent)


@pytest.fixture
def console(key):
    """The browser of the operator of `agent`, logged in."""
    return OperatorBrowser(key)


@pytest.fixture
def stranger(db):
    """The browser of another operator, logged in, with an agent of its own."""
    return OperatorBrowser(claim(AgentFactory(handle="other"), name="Eve"))


@pytest.fixture
def apart(alone, console):
    """A subtest as `alone`, after which the console has the cookies that it had before."""

    @contextmanager
    def apart(name):
        cookies = deepcopy(console.cookies)
        with alone(name):
            yield
        console.cookies = cookies

    return apart


@pytest.fixture
def paths(agent):
    """Each action's path; the agent has what they need."""
    SkillInstallFactory(agent=agent, skill__slug="pdf-tables")
    PersonaInstallFactory(agent=agent, persona__slug="archivist", is_active=True)
    subjects = {"revoke-token": f"/{agent.token.public_id}", "activate-persona": "/archivist"}
    subjects["withdraw-submission"] = f"/{send_submission(agent).public_id}"
    for action in ("pin", "unpin", "update", "remove"):
        subjects |= {f"{action}-skill": "/pdf-tables", f"{action}-persona": "/archivist"}
    return {name: f"/operator/agents/caller/{name}{subjects.get(name, '')}" for name in ACTIONS}
