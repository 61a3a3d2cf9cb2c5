"""An event is in the transaction of its change: without one, there is no other (contract 33.1)"""

from contextlib import contextmanager
from io import StringIO

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import ProgrammingError, connection

from audit.models import AuditDraft, AuditEvent
from catalogue.models import Skill
from tests.audit.changes import Watcher
from tests.browser import untouched_form
from tests.factories import AgentFactory, SkillFactory, claim
from tests.operators.conftest import OperatorBrowser

pytestmark = pytest.mark.django_db

FUNCTION = """
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full disk'; END $$
"""
HERE = {"Origin": "http://testserver"}
TRIGGER = """
    CREATE TRIGGER refuse BEFORE {} ON {} FOR EACH STATEMENT EXECUTE FUNCTION refuse()
"""


@contextmanager
def refusing(operation, *models):
    """PostgreSQL refuses this for these tables; afterward, the transaction goes on."""
    with connection.cursor() as cursor:
        cursor.execute(FUNCTION)
        for model in models:
            cursor.execute(TRIGGER.format(operation, model._meta.db_table))
    yield
    # Set by an error outside of a transaction of its own.
    assert not connection.needs_rollback


def delete_a_group(admin_client):
    group = Group.objects.get(name="Readers").pk
    fields = {"action": "delete_selected", "_selected_action": [group], "post": "yes"}
    return admin_client.post("/admin/auth/group/", fields)


def set_a_password(admin_client):
    user = User.objects.get(username="ada")
    passwords = dict.fromkeys(("password1", "password2"), "long-enough-7")
    url = f"/admin/auth/user/{user.pk}/password/"
    return admin_client.post(url, passwords | {"usable_password": "true"})


def inspect(_):
    with pytest.raises(ProgrammingError, match="full disk"):
        call_command("inspect_catalogue", stdout=StringIO())


@pytest.mark.contract("33.1")
def test_what_cannot_be_recorded_does_not_happen(admin_client, alone):
    admin_client.raise_request_exception = False
    Group.objects.create(name="Readers")
    User.objects.create(username="ada")
    SkillFactory(content="Do\u200b it.")
    Skill.objects.update(findings=[])

    for act in (delete_a_group, set_a_password, inspect):
        with alone(act.__name__):
            watcher = Watcher()
            with refusing("INSERT", AuditEvent, AuditDraft):
                response = act(admin_client)
            assert response is None or response.status_code == 500
            watcher.look()
            assert (watcher.changed, watcher.events) == ([], [])


@pytest.mark.contract("33.1", "33.8")
def test_a_deletion_that_fails_is_no_event(admin_client):
    admin_client.raise_request_exception = False
    Group.objects.create(name="Readers")
    watcher = Watcher()

    with refusing("DELETE", Group):
        assert delete_a_group(admin_client).status_code == 500

    watcher.look()
    assert (watcher.changed, watcher.events) == ([], [])


@pytest.mark.contract("33.1")
def test_nobody_enters_or_leaves_the_console_unrecorded(alone):
    key = claim(AgentFactory(handle="crawler"))
    acts = {
        "/operator": OperatorBrowser(),
        "/operator/log-out": OperatorBrowser(key),
        "/operator/end-sessions": OperatorBrowser(key),
    }
    for path, browser in acts.items():
        with alone(path):
            form = untouched_form(browser.get("/operator"))
            watcher = Watcher()
            with refusing("INSERT", AuditEvent):
                response = browser.post(path, form | {"key": key}, headers=HERE)
            assert response.status_code == 500
            watcher.look()
            assert (watcher.changed, watcher.events) == ([], [])
