"""From an agent's proposal to what a client loads (contract 29, 34)."""

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User

from agents.models import AgentToken
from marketplace.api.scopes import DEFAULT_SCOPES, Scope
from tests.admin.visitors import StaffVisitor
from tests.chromium import needs_chromium, visit
from tests.factories import AgentFactory, SkillFactory
from tests.interfaces.git.test_git_clients import claude, client_of_npm  # noqa: F401
from tests.interfaces.git.test_recalls_reach_clients import ClaudeCode
from tests.submissions.conftest import SKILL, TEXT, changed

pytestmark = [pytest.mark.external, pytest.mark.slow, needs_chromium]


@pytest.fixture
def staff(live_server_of):
    hasher = PBKDF2PasswordHasher()  # the server's; the suite's own is a quicker one
    password = hasher.encode("right-password", hasher.salt())
    User.objects.create(username="clerk", password=password, is_staff=True, is_superuser=True)
    with visit(StaffVisitor, live_server_of(), "desktop") as staff:
        yield staff


@pytest.mark.contract("29.11", "34.1")
def test_what_an_agent_proposes_over_mcp_reaches_claude_code(claude, staff, tmp_path):  # noqa: F811
    SkillFactory(slug="pdf-tables", content=TEXT)
    agent = AgentFactory()
    agent.token = AgentToken.objects.issue(agent, [*DEFAULT_SCOPES, Scope.SUBMIT])
    life = ClaudeCode(claude, tmp_path, staff.server, agent)
    life.call("install_skill", slug="pdf-tables")
    life.refresh()
    life.install("pdf-tables")

    life.call("submit_skill", content=changed(SKILL)["content"], baseNumber=1)
    life.refresh()
    life.assert_loaded("pdf-tables", lacks=["Do it well."])

    staff.log_in()
    staff.open("/admin/submissions/submission/")
    staff.press("pdf-tables")
    staff.press("Publish")
    life.refresh()

    life.assert_loaded("pdf-tables", has="Do it well.")
