"""What an operator does with an agent in the console (contract 19.7)"""

import re

import pytest

from agents.models import Agent, AgentToken, OperatorClaim
from audit.models import AuditEvent
from installs.models import PersonaInstall, SkillInstall
from operators.actions import ACTIONS
from submissions.models import Submission
from tests.browser import untouched_form
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
    claim,
    claim_by_code,
)
from tests.operators.pages import told
from tests.registry import send_submission

HOME = "/operator/agents/caller"
ME = "/api/v1/agents/me"
INSTALL = f"{ME}/skills/install"
TOKEN = re.compile(r"mkt_agent_[0-9A-Za-z]{38}")
UNAUTHENTICATED = (401, {"error": "Authentication required"})


def everything():
    models = [Agent, AgentToken, OperatorClaim, SkillInstall, PersonaInstall, Submission]
    models.append(Agent.history)
    rows = [getattr(model, "objects", model).order_by("pk").values() for model in models]
    return [[{**row, "last_used_at": None} for row in table] for table in rows]


def history(agent):
    """The actions and their operators, the latest first."""
    return [(snapshot.operator, snapshot.history_change_reason) for snapshot in agent.history.all()]


@pytest.mark.contract("19.7")
def test_each_is_asked_before_it_is_done(console, paths, apart):
    before = everything()

    for name in ACTIONS:
        with apart(name):
            page = console.get(paths[name])

            text = page.content.decode()
            assert page.status_code == 200
            assert "caller" in re.search("<h1>(.*)</h1>", text)[1] or name == "revoke-token"
            assert f'<a href="{HOME}">Cancel</a>' in text
            assert everything() == before


# What their forms need.
FIELDS = {
    "limits": {"install": "5"},
    "delete": {"handle": "caller"},
    "install-skill": {"slug": "csv-cleaning"},
    "install-persona": {"slug": "scribe"},
    "copy-installs": {"source": "ant"},
}
LAST = " It was the last agent of your key, so the key has ended."
HINT = r"mkt_agent_\w{4}…\w{4}"
# What the operator reads, and what staff do.
DONE = {
    "pause": ("Paused caller.", "Paused."),
    "resume": ("Resumed caller.", "Resumed."),
    "issue-token": (None, rf"Issued the token {HINT}."),
    "revoke-token": (f"Revoked the token {HINT}.", f"Revoked the token {HINT}."),
    "revoke-tokens": (
        "Revoked every token of caller. Issue a new one to bring it back.",
        "Revoked every token.",
    ),
    **{
        f"{action}-{kind}": (said.format(f"the {kind} {slug}"), noted.format(f"the {kind} {slug}"))
        for kind, slug in (("skill", "pdf-tables"), ("persona", "archivist"))
        for action, said, noted in (
            ("pin", "Pinned version 1 of {} for caller.", "Pinned version 1 of {}."),
            ("unpin", "Unpinned {} for caller.", "Unpinned {}."),
            ("update", "Updated caller to version 1 of {}.", "Updated to version 1 of {}."),
        )
    },
    "install-skill": (
        "Installed the skill csv-cleaning for caller.",
        "Installed the skill csv-cleaning.",
    ),
    "install-persona": (
        "Installed the persona scribe for caller.",
        "Installed the persona scribe.",
    ),
    "copy-installs": ("Gave caller what ant has.", "Installed what ant has: csv-cleaning."),
    "activate-persona": (
        "Activated the persona archivist for caller.",
        "Activated the persona archivist.",
    ),
    "update-all": ("Updated 1 skill and 1 persona of caller.", "Updated 1 skill and 1 persona."),
    **{
        f"{action.lower()}-all": (
            f"{action}ned 1 skill and 1 persona of caller.",
            f"{action}ned 1 skill and 1 persona: pdf-tables 1, archivist 1.",
        )
        for action in ("Pin", "Unpin")
    },
    "remove-skill": ("Removed pdf-tables from caller.", "Removed the skill pdf-tables."),
    "remove-persona": ("Removed archivist from caller.", "Removed the persona archivist."),
    "withdraw-submission": (
        "Withdrew the skill sent that caller had submitted.",
        "Withdrew the submitted skill sent.",
    ),
    "limits": (
        "Set the limits of caller: installs 5. Requests that it has already made are counted.",
        "Set the limits: installs 5.",
    ),
    "new-claim-url": ("caller has a new claim URL.", "Replaced the claim URL."),
    "delete": (f"Deleted caller.{LAST}", "Deleted."),
    "release": (f"Released caller: you are no longer its operator.{LAST}", "Released the claim."),
}


@pytest.fixture
def key(agent):
    """A key whose claim is in the history."""
    return claim_by_code(agent)


@pytest.fixture
def ready(paths, key):
    """Each action's path; the agent is such that the action changes something."""

    def ready(name):
        agent = Agent.objects.get(handle="caller")
        if name == "resume":
            agent.pause()
        if name.startswith("unpin"):
            SkillInstall.objects.pin(agent, "pdf-tables")
            PersonaInstall.objects.pin(agent, "archivist")
        if name == "copy-installs":
            other = AgentFactory(handle="ant")
            claim(other, key=key)
            SkillInstall.objects.install(other, "csv-cleaning")
        if name == "activate-persona":
            PersonaInstall.objects.deactivate(agent, "archivist")
        return paths[name]

    return ready


@pytest.mark.contract("19.7", "33.4", "33.8")
def test_each_says_that_it_is_done_and_tells_staff_who_did_it(console, agent, ready, apart):
    SkillFactory(slug="csv-cleaning")
    PersonaFactory(slug="scribe")

    for name, (said, noted) in DONE.items():
        with apart(name):
            path, last = ready(name), AuditEvent.objects.latest("pk")
            page = console.submit(path, **FIELDS.get(name, {}))

            [event] = AuditEvent.objects.filter(pk__gt=last.pk)
            assert (event.actor_kind, event.actor_name) == ("operator", "Ada Lovelace")
            assert (event.action, event.object_name) == (name.replace("-", "_"), "caller")
            assert page.status_code == (302 if said else 200)
            if said:
                leaves = name in {"release", "delete"}
                assert page.headers["Location"] == ("/operator" if leaves else HOME)
                [text] = told(console.get(page.headers["Location"]))
                assert re.fullmatch(said, text)
            [(operator, reason), *before] = history(agent)
            assert operator == "Ada Lovelace"
            assert re.fullmatch(noted, reason)
            [first] = [row for row in before if row[1] != "Snapshot before the change"]
            assert first[0] == "Ada Lovelace"
            claimed = r"Claimed the agent, with the key mkt_operator_\w{4}…\w{4}\."
            assert re.fullmatch(claimed, first[1])
    assert set(DONE) == set(ACTIONS)


@pytest.mark.contract("19.7", "33.3", "33.8")
def test_an_action_without_effect_is_not_in_the_history(console, agent, paths, apart):
    on_versions = [(name, {}) for name in ACTIONS if re.search("pin|update", name)]
    for name, fields in [
        *(("resume", {}), ("limits", {}), ("pause", {}), ("limits", {"review": "3"})),
        ("withdraw-submission", {}),
        ("activate-persona", {}),
        *on_versions,
    ]:
        with apart(f"{name} {fields}"):
            console.submit(paths[name], **fields)
            before, events = history(agent), AuditEvent.objects.count()

            assert console.submit(paths[name], **fields).status_code == 302
            assert (history(agent), AuditEvent.objects.count()) == (before, events)


@pytest.mark.contract("19.4")
def test_another_operator_cannot_do_it_nor_see_it(stranger, key, paths, alone):
    before = everything()
    form = untouched_form(stranger.get("/operator/end-sessions")) | {"scopes": ["read"]}

    for name in ACTIONS:
        with alone(name):
            pages = [stranger.get(paths[name]), stranger.post(paths[name], form)]

            assert [page.status_code for page in pages] == [404, 404]
            assert everything() == before


@pytest.mark.contract("19.4")
def test_installs_and_tokens_of_other_agents_are_out_of_reach(console, paths, apart):
    other = AgentFactory()
    SkillInstallFactory(agent=other, skill__slug="theirs")
    PersonaInstallFactory(agent=other, persona__slug="theirs")
    public_ids = {
        "revoke-token": other.token.public_id,
        "withdraw-submission": send_submission(other, "submission_theirs").public_id,
    }
    before, form = everything(), untouched_form(console.get(paths["pause"]))

    for name in [name for name in ACTIONS if re.search("-(token$|sub|sk|per)", name)]:
        path = f"{HOME}/{name}/{public_ids.get(name, 'theirs')}"
        with apart(name):
            pages = [console.get(path), console.post(path, form)]

            assert [page.status_code for page in pages] == [404, 404]
            assert everything() == before


def test_actions_without_a_session_redirect_to_the_form(operator, key, paths, alone):
    before, form = everything(), untouched_form(operator.get("/operator"))

    for name in ACTIONS:
        with alone(name):
            pages = [operator.get(paths[name]), operator.post(paths[name], form)]

            assert {page.headers["Location"] for page in pages} == {"/operator?agent=caller"}
            assert everything() == before


def test_none_is_done_from_elsewhere(console, paths, apart):
    before = everything()
    for name in ACTIONS:
        form = untouched_form(console.get(paths[name]))
        for fields, headers in (
            ({}, {}),
            (form, {"Origin": "null"}),
            (form, {"Origin": "https://evil.example"}),
        ):
            with apart(f"{name} {headers}"):
                assert console.post(paths[name], fields, headers=headers).status_code == 403
                assert everything() == before


def test_none_is_done_with_an_agent_that_was_released(console, key, paths, apart):
    forms = {name: untouched_form(console.get(paths[name])) for name in ACTIONS}
    claim(AgentFactory(), key=key)
    OperatorClaim.objects.get(agent__handle="caller").release()
    before = everything()

    for name, form in forms.items():
        with apart(name):
            page = console.post(paths[name], form, headers={"Origin": "http://testserver"})

            assert page.status_code == 404
            assert everything() == before
