"""Editors see the catalogue, moderators see agents and reviews; neither sees more"""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.utils import timezone

from agents.models import Agent, AgentToken, Invitation, OperatorClaim, OperatorKey
from catalogue.models import Persona, Skill
from importing.models import ImportRun
from installs.models import PersonaInstall, SkillInstall
from reports.models import Case, Report
from reviews.models import Review
from search.models import ZeroResultSearch
from sources.models import Source
from submissions.models import Submission
from tests.admin.actions import log_change, take_action
from tests.admin.rows import url_of
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    SkillInstallFactory,
    SourceFactory,
    SubmissionFactory,
    claim,
    review,
)

CATALOGUE = {Skill, Persona, ImportRun, ZeroResultSearch}
AGENTS = {Agent, AgentToken, Invitation, OperatorClaim, OperatorKey, Review}
INSTALLS = {SkillInstall, PersonaInstall}
REPORTS = {Case, Report, Submission, LogEntry}
SEEN = {"Editors": CATALOGUE | INSTALLS | REPORTS, "Moderators": AGENTS | INSTALLS | REPORTS}
EVERYTHING = CATALOGUE | AGENTS | INSTALLS | REPORTS | {User, Group, Source}
ADDRESS = "ada@operator.example"  # of the agent's operator
LEADS_ELSEWHERE = re.compile("logout|/export/$")  # out of the admin, to a download


@pytest.fixture
def rows(db):
    agent = AgentFactory()
    claim(agent, name="Ada", email=ADDRESS)
    SourceFactory()
    Invitation.objects.issue()
    install = SkillInstallFactory(agent=agent, skill=SkillFactory(downloads=1))
    ImportRun.objects.create(name="skills.zip", kind="skill")
    ZeroResultSearch.objects.create(kind="skill", text="abacus", last_searched_at=timezone.now())
    Report.objects.submit(agent, install.skill, reason="spam")
    log_change(Case.objects.get(), "Resolved.")
    SubmissionFactory(agent=agent)
    return [install.skill, agent, agent.token, review(agent, PersonaFactory(), 2)]


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("role", SEEN)
def test_a_role_opens_its_own_lists_and_rows_and_no_others(admin_client_of, role):
    admin_client = admin_client_of(role)

    opened = {
        model
        for model in EVERYTHING
        if admin_client.get(url_of(model, "changelist")).status_code == 200
    }
    # Those of other models are closed to whoever lacks a permission (test_permissions.py).
    rows = {
        model
        for model in opened
        if admin_client.get(url_of(model, "change", model.objects.first().pk)).status_code == 200
    }

    assert opened == rows == SEEN[role]


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("role", SEEN)
def test_the_menu_and_the_dashboard_lead_only_where_a_role_may_go(admin_client_of, role):
    page = admin_client_of(role).get("/admin/")
    text = page.content.decode()

    linked = {model for model in EVERYTHING if f'href="{url_of(model, "changelist")}' in text}
    assert linked == SEEN[role]
    titles = {chart["title"] for chart in page.context["days"]["charts"]}
    installs = {"Skill installs", "Persona installs"}
    assert titles == (installs if role == "Editors" else installs | {"Agents", "Reviews"})


def test_an_editor_publishes_and_imports(admin_client_of, anyone):
    admin_client, skill = (
        admin_client_of("Editors"),
        SkillFactory(slug="pdf-tables", status="draft"),
    )

    take_action(admin_client, "publish", skill)

    assert anyone.get("/api/v1/skills/pdf-tables").status_code == 200
    assert admin_client.get("/admin/catalogue/skill/import/").status_code == 200


def test_a_moderator_hides_revokes_and_suspends(admin_client_of, client, agent):
    admin_client, unkind = admin_client_of("Moderators"), review(agent, PersonaFactory(), 1)

    take_action(admin_client, "hide", unkind, reason="Advertising.")
    unkind.refresh_from_db()
    assert unkind.hidden_at

    take_action(admin_client, "suspend", agent, reason="It floods.")
    assert client.get("/api/v1/agents/me").status_code == 401
    take_action(admin_client, "restore", agent)
    take_action(admin_client, "revoke", agent.token)
    assert client.get("/api/v1/agents/me").status_code == 401


def test_a_page_of_a_row_offers_only_what_a_role_may_do(admin_client_of, admin_client, rows):
    skill, agent, _, _ = rows
    viewer = User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(
        *Group.objects.get(name="Editors").permissions.filter(codename__startswith="view_")
    )
    looking = Client()
    looking.force_login(viewer)
    url = url_of(Skill, "change", skill.pk)

    assert f"/skill/{skill.pk}/do/withdraw/" in admin_client.get(url).content.decode()
    assert f"/skill/{skill.pk}/do/withdraw/" not in looking.get(url).content.decode()
    assert looking.post(f"/admin/catalogue/skill/{skill.pk}/do/withdraw/").status_code == 403
    assert (
        admin_client_of("Editors").get(f"/admin/agents/agent/{agent.pk}/do/suspend/").status_code
        == 403
    )


@pytest.mark.parametrize(
    "path",
    ["import/", "export/", "preview/", "{pk}/as-agent/", "{pk}/history/", "{pk}/do/publish/"],
)
def test_pages_of_the_catalogue_are_closed_to_moderators(admin_client_of, path):
    skill = SkillFactory()
    url = "/admin/catalogue/skill/" + path.format(pk=skill.pk)
    admin_client = admin_client_of("Moderators")

    assert {admin_client.get(url).status_code, admin_client.post(url).status_code} <= {403, 405}


def test_a_token_is_found_only_by_those_who_may_see_tokens(admin_client_of, agent):
    finding = {"q": agent.token.text}

    response = admin_client_of("Moderators").post("/admin/agents/agent/find/", finding)
    assert response.headers["Location"] == url_of(AgentToken, "change", agent.token.pk)
    refused = admin_client_of("Editors").post("/admin/agents/agent/find/", finding)
    assert refused.status_code == 403


@pytest.mark.slow
def test_no_page_that_an_editor_can_open_shows_an_operators_address(admin_client_of, rows):
    """Not even one of an agent or its operator, where an editor may look at these too."""
    admin_client, agent = admin_client_of("Editors"), rows[1]
    User.objects.get(username="Editors").user_permissions.add(
        *Permission.objects.filter(
            codename__in=["view_agent", "change_agent", "view_operatorkey", "change_operatorkey"]
        )
    )

    page = admin_client.get(url_of(Agent, "change", agent.pk)).content.decode()

    assert "Operated by Ada since" in page
    assert ADDRESS not in page
    assert [url for url, text in pages_of(admin_client).items() if ADDRESS in text] == []


@pytest.mark.contract("19.16")
def test_a_moderator_sees_the_operators_address_and_that_nobody_has_verified_it(
    admin_client_of, rows
):
    admin_client, agent = admin_client_of("Moderators"), rows[1]

    page = admin_client.get(url_of(Agent, "change", agent.pk)).content.decode()

    assert f"Operated by Ada ({ADDRESS}, not verified) since" in page
    pages = [page, *(text for text in pages_of(admin_client).values() if ADDRESS in text)]
    assert len(pages) == 5  # the agent's twice, its claim's, the list of claims, the operator's
    for page in pages:
        assert re.findall(f"{ADDRESS}(?!,? .?not verified)", page) == []


def pages_of(admin_client):
    """`{path: text}` of every page that links lead to from the dashboard, without query strings."""
    waiting, texts = {"/admin/"}, {}
    while waiting:
        url = waiting.pop()
        texts[url] = admin_client.get(url, follow=True).content.decode()
        links = set(re.findall(r'href="(/admin/[^"?#]*)', texts[url]))
        waiting |= {link for link in links - texts.keys() if not LEADS_ELSEWHERE.search(link)}
    assert len(texts) > 10
    return texts


def test_nobody_of_a_role_manages_staff(admin_client_of):
    for role in SEEN:
        admin_client = admin_client_of(role)
        for model in (User, Group):
            for page in ("changelist", "add"):
                assert admin_client.get(url_of(model, page)).status_code == 403
