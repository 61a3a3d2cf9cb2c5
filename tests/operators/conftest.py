from contextlib import contextmanager
from copy import deepcopy
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from agents.models import AgentToken, OperatorKey
from installs.models import SkillInstall
from operators import sessions
from operators.actions import ACTIONS
from tests.browser import untouched_form
from tests.factories import (
    AgentFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    claim,
)
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


@pytest.fixture
def holders(key, agent):
    """Four agents of an operator, of which the first three have a skill in versions 1, 1 and 2."""
    ant, bee, cat = (AgentFactory(handle=handle, name="") for handle in ("ant", "bee", "cat"))
    for other in (ant, bee, cat):
        claim(other, key=key)
    tables = SkillFactory(slug="tables", content="One.")
    SkillInstall.objects.install(ant, "tables")
    SkillInstall.objects.install(bee, "tables", version=1)
    publish(tables, "Two.")
    SkillInstall.objects.install(cat, "tables")
    SkillFactory(slug="other")
    SkillInstall.objects.install(cat, "other")
    SkillInstall.objects.install(agent, "other")
    return {"ant": ant, "bee": bee, "caller": agent, "cat": cat}


def publish(entry, text):
    entry.content = text
    entry.save()


def seen(agent, **ago):
    AgentToken.objects.filter(agent=agent).update(last_used_at=timezone.now() - timedelta(**ago))


@pytest.fixture
def fleet(agent, key):
    """The agents of the operator."""
    others = [AgentFactory(handle=handle) for handle in ("ant", "bee")]
    for other in others:
        claim(other, key=key)
    return [agent, *others]


@pytest.fixture
def recalled(fleet):
    """A skill that two agents had when it was recalled for another one."""
    skill, successor = SkillFactory(slug="old", title="Old Tables"), SkillFactory(slug="new")
    for agent in fleet[:2]:
        SkillInstallFactory(agent=agent, skill=skill)
    skill.recall("It leaks.", successor)
    return skill
