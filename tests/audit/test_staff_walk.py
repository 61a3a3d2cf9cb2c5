"""Each action of the admin is one event if it changes something, and none if not (contract 33.8)"""

from http import HTTPStatus

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from agents.models import Agent, OperatorKey
from catalogue.admin.actions import number_field
from catalogue.models import Persona, Skill
from reviews.models import Review
from sources.models import Source, SourceFile
from tests.admin.rows import make_rows, url_of
from tests.audit.changes import Watcher
from tests.browser import untouched_form
from tests.factories import PersonaFactory, SkillFactory, SourceFactory

pytestmark = pytest.mark.django_db

READING = {"export"}  # an event, although it changes nothing


def make_rows_of_all_states():
    """For each action, a row that it changes."""
    make_rows(1, 2)
    User.objects.create(username="newcomer")
    for model, new in ((Skill, SkillFactory), (Persona, PersonaFactory)):
        published, deprecated, *_ = model.objects.published()
        deprecated.deprecate("Use another one.", None)
        deprecated.mark_as_checked()
        new(slug="draft", status="draft")
        new(slug="withdrawn").withdraw()
    Persona.objects.filter(pk=published.pk).update(frontmatter="---\nname: other\n---\n")
    Agent.objects.get(handle="crawler-2").suspend("Spam.")
    OperatorKey.objects.latest("pk").verify()
    Review.objects.earliest("pk").hide("Spam.")
    TOTPDevice.objects.create(user=User.objects.get(username="clerk-1"))
    source = Source.objects.earliest("pk")
    source.pause()
    failing = SourceFactory(name="failing", state="failing", kind="skill")
    SkillFactory(slug="gone", source=failing.entry_source("gone/SKILL.md"))
    SourceFile.objects.create(
        source=failing,
        kind="skill",
        path="gone/SKILL.md",
        slug="gone",
        settled_digest="sha256:1",
        seen_at=timezone.now(),
    )


# The rows that one action takes, if it cannot take all of the model's.
ROWS = {
    (User, "delete_selected"): {"username": "newcomer"},
    (Skill, "delete_selected"): {"slug": "draft"},
    (Persona, "delete_selected"): {"slug": "draft"},
    (Agent, "issue_token"): {"handle": "crawler-1"},
}


def actions(rf):
    """(model, name of the action) of everything that the lists offer a superuser.

    A function that several lists share comes once, but for Django's own.
    """
    request, functions = rf.get("/"), set()
    request.user = User.objects.get(username="clerk-0")
    for model, model_admin in admin.site._registry.items():
        for name, (function, *_) in model_admin.get_actions(request).items():
            if name == "delete_selected" or function not in functions:
                yield model, name
            functions.add(function)


# The filters of lists that show other rows without them.
QUERIES = {"correct_reason": "?state=rejected"}


def confirm(browser, url, form, rows):
    """Send an action with what its confirmation needs; again, if its page has more fields."""
    values = {
        **dict.fromkeys(("reason", "message", "note", "text", "resolution"), "Because."),
        **dict.fromkeys(("confirmed", "post", "issue", "accepted"), "yes"),
        **{number_field(row): row.number for row in rows if isinstance(row, Skill | Persona)},
        "add_tags": "new",
        "policy": "install",
        "limit": 1000,
        "scopes": ["read"],
        "assignee": User.objects.earliest("pk").pk,
        "opened_at": timezone.now().timestamp(),
    }
    page = browser.post(url, values | form)
    if page.status_code == HTTPStatus.OK:
        browser.post(url, untouched_form(page) | values | form)


@pytest.mark.contract("33.3", "33.8")
@pytest.mark.slow
def test_each_action_of_a_list(admin_client, alone, rf):
    make_rows_of_all_states()

    for model, action in actions(rf):
        with alone(f"{model._meta.label}: {action}"):
            url = url_of(model, "changelist") + QUERIES.get(action, "")
            rows = model.objects.filter(**ROWS.get((model, action), {}))
            first = {"action": action, "_selected_action": [row.pk for row in rows]}
            watcher = Watcher()
            if action in READING:
                assert admin_client.post(url, first).getvalue()
                watcher.look()
                assert [event.action for event in watcher.events] == [action]
                continue
            confirm(admin_client, url, first, rows)
            watcher.assert_told_once()
            assert watcher.changed, f"Add a row that {action} changes."
            confirm(admin_client, url, first, rows)
            watcher.assert_told_once()
