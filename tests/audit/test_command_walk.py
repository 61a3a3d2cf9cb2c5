"""Each command is one event if it changes something, and none if not (contract 33.8)"""

from contextlib import contextmanager, nullcontext, suppress
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command, get_commands
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from agents.models import AgentToken
from audit.models import AuditEvent
from catalogue.models import Persona, Skill
from demo.postgres import CHECKOUT
from search.models import SkillPosting
from sources import scheduler
from sources.fetching import Fetched
from sources.models import Clock
from tests.audit.changes import Watcher
from tests.factories import (
    AgentFactory,
    OAuthClientFactory,
    PersonaFactory,
    SkillFactory,
    SourceFactory,
    SubmissionFactory,
    claim,
    connect,
)
from tests.imports import markdown

pytestmark = pytest.mark.django_db

READING = {"audit", "doctor", "migrate"}  # migrate changes the tables, and no row of ours
REPEATED = {"issue_invitation", "issue_token", "export_person"}  # events a second time, too


def skills(folder):
    for name in ("first", "second"):
        markdown(folder / name / "SKILL.md", [f"name: {name}", "description: Does it."], "Do it.")
    return [folder]


def personas(folder):
    markdown(folder / "scribe.md", ["name: scribe", "description: Writes."], "Write.")
    return [folder]


def agent(_folder):
    return [AgentFactory(handle="crawler").handle]


def superseded_version(_folder):
    skill = SkillFactory(slug="pdf-tables")
    skill.content = "Do it better."
    skill.save()
    return ["skill", "pdf-tables", "1", "--reason", "A court forbids it."]


def device(_folder):
    TOTPDevice.objects.create(user=User.objects.create(username="grace"))
    return ["grace"]


def rejected(_folder):
    submission = SubmissionFactory()
    submission.reject("No.")
    long_ago = timezone.now() - timezone.timedelta(days=31)
    type(submission).objects.update(decided_at=long_ago)
    return []


def token_of_a_run(_folder):
    long_ago = timezone.now() - timezone.timedelta(days=31)
    AgentToken.objects.issue(AgentFactory(), expires_at=long_ago, provenance={})
    return []


def connected(_folder):
    agent = AgentFactory()
    claim(agent)
    connect(agent)
    return []


def unused_client(_folder):
    long_ago = timezone.now() - timezone.timedelta(days=31)
    client = OAuthClientFactory()
    type(client).objects.update(created_at=long_ago)
    return []


def uninspected(_folder):
    for new in (SkillFactory, PersonaFactory):
        new(content="Do\u200b it.")
        type(new()).objects.update(findings=[])
    return []


def drifted(_folder):
    SkillFactory(slug="pdf-tables")
    SkillPosting.objects.all().delete()
    return []


def miscounted(_folder):
    for new in (SkillFactory, SkillFactory, PersonaFactory):
        new()
    Skill.objects.update(downloads=7)
    Persona.objects.update(rating_count=7)
    return ["--fix"]


def source(folder):
    SourceFactory(name="team", review="git")
    Clock.objects.create(holder="somebody", leased_until=timezone.now())
    skills(folder)
    return ["team"]


def person(_folder):
    claim(AgentFactory(), email="ada@example.com")
    return ["ada@example.com"]


def user(_folder):
    return [User.objects.create(username="hopper").username]


def old_events(_folder):
    AuditEvent.objects.create(action="log_in", at=timezone.now() - timezone.timedelta(days=366))
    return []


# By command: a function of a folder that makes what it changes, and returns its arguments.
COMMANDS = {
    "import_skills": skills,
    "import_personas": personas,
    "issue_invitation": lambda _folder: [],
    "issue_token": agent,
    "purge_version": superseded_version,
    "name_marketplace": lambda _folder: ["acme-skills"],
    "remove_second_factor": device,
    "delete_rejected_submissions": rejected,
    "delete_tokens_of_runs": token_of_a_run,
    "end_connections": connected,
    "prune_clients": unused_client,
    "inspect_catalogue": uninspected,
    "rebuild_search": drifted,
    "recount": miscounted,
    "sync_sources": source,
    "prune_audit": old_events,
    "export_person": person,
    "allow_password": user,
    "createsuperuser": lambda _folder: ["--noinput", "--username", "ada", "--email", ""],
    "erase_person": lambda folder: [*person(folder), "--yes"],
}


def own_commands():
    folders = {CHECKOUT, CHECKOUT / "interfaces"}
    own = [app.name for app in apps.get_app_configs() if Path(app.path).parent in folders]
    return {name for name, app in get_commands().items() if app in own} - READING


@pytest.fixture
def run(tmp_path, monkeypatch):
    @contextmanager
    def fetched(_source, _commit):
        yield Fetched("1" * 40, False, tmp_path, [])

    monkeypatch.setattr(scheduler, "fetched", fetched)
    # Without the thread that keeps the turn, on a connection of its own.
    turn = SimpleNamespace(has_turn=True)
    monkeypatch.setattr(scheduler, "Heartbeat", lambda _: nullcontext(turn))

    def run(name, arguments):
        with suppress(CommandError):  # There is no second factor to remove a second time.
            call_command(name, *map(str, arguments), stdout=StringIO())

    return run


def test_each_command(alone, run, tmp_path):
    assert set(COMMANDS) == own_commands()

    for name, prepare in COMMANDS.items():
        with alone(name):
            folder = tmp_path / name
            folder.mkdir()
            arguments = prepare(folder)
            watcher = Watcher()
            for is_repeated in (False, True):
                run(name, arguments)
                watcher.look()
                is_event = name in REPEATED or not is_repeated
                actions = [(one.actor_kind, one.actor_name, one.action) for one in watcher.events]
                action = "sync" if name == "sync_sources" else name
                assert actions == [("command", name, action)] * is_event
