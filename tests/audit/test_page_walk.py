"""Each page of the admin that changes something is one event (contract 33.8)"""

from copy import deepcopy
from functools import partial

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client

from agents.models import Agent
from catalogue.models import Persona, Skill
from importing.models import ImportRun
from publishers.models import Publisher
from sources.models import Source
from submissions.models import Maintainer, Submission
from tests.admin.authenticator import code_of
from tests.admin.files import SKILL_MD, confirm, upload, zip_of
from tests.admin.rows import make_rows, url_of
from tests.api.versions import rewrite
from tests.audit.changes import Watcher
from tests.browser import untouched_form
from tests.factories import SkillFactory

pytestmark = pytest.mark.django_db

# Pages that change nothing, whatever is sent to them; uploads are only previewed.
READING = {
    *("history", "versions", "version", "compare", "as_agent", "file", "version_file", "tags"),
    *("preview", "fields", "import", "issued", "find", "index", "app_list", "jsi18n", "search"),
    *("autocomplete", "view_on_site", "password_change_done", "recovery_codes"),
}
LISTS = {"changelist", "do"}  # of actions: tests/audit/test_staff_walk.py


def send(browser, url, /, **fields):
    """Send the form of a page as a browser does, with these fields changed."""
    return browser.post(url, untouched_form(browser.get(url)) | fields)


def confirmed(browser, url, /, **fields):
    return send(browser, url, confirmed="yes", **fields)


def page(model, page, /, *arguments, **row):
    return url_of(model, page, *([model.objects.get(**row).pk] if row else []), *arguments)


def skill(name, *arguments):
    return page(Skill, name, *arguments, slug="pdf-tables-1")


def maintainer(act, handle="crawler-1"):
    return skill("do_maintainer", Maintainer.objects.get(agent__handle=handle).pk, act)


def change_of(model, row, /, **fields):
    return lambda browser: send(browser, page(model, "change", **row), **fields)


def deletion_of(model, /, **row):
    def delete(browser):
        if model.objects.filter(**row).exists():
            browser.post(page(model, "delete", **row), {"post": "yes"})

    return delete


def import_a_zip(browser):
    upload(browser, zip_of({f"{name}/SKILL.md": SKILL_MD.format(name) for name in ("a", "b")}))
    confirm(browser)


def decide(browser, decision):
    for submission in Submission.objects.pending().filter(slug="proposed-1"):
        shown = browser.get(url_of(Submission, "change", submission.pk))
        form = untouched_form(shown, "decide") | {"decision": decision}
        form["reason"] = "No." if decision == "reject" else ""
        browser.post(url_of(Submission, "decide", submission.pk), form)


def restore_snapshot(browser):
    row = Skill.objects.get(slug="pdf-tables-1")
    snapshot = row.history.earliest("pk")
    confirmed(browser, url_of(Skill, "simple_history", row.pk, snapshot.pk))


def set_up_second_factor(browser):
    browser.get("/admin/second-factor/")
    key = browser.session.get("second_factor_key")
    if key:
        browser.post("/admin/second-factor/", {"code": code_of(bytes.fromhex(key))})


def change_password(browser):
    passwords = {"old_password": "right-password"}
    passwords |= dict.fromkeys(("new_password1", "new_password2"), "another-password")
    send(browser, "/admin/password_change/", **passwords)


SKILL = {
    "slug": "new",
    "title": "New",
    "description": "Does it.",
    "content": SKILL_MD.format("new"),
}
PUBLISHER = {
    "issuer": "https://ci.example",
    "audience": "https://m.example",
    "project": "9",
    "project_claim": "sub",
    "any_branch": "on",
}
SOURCE = {"name": "team", "url": "https://git.example.com/team", "ref": "main"}
USER = {"username": "ada", **dict.fromkeys(("password1", "password2"), "long-enough-7")}
# By the name of a page: what somebody does there. A second time, it may change nothing.
CASES = [
    ("add", lambda browser: send(browser, page(Skill, "add"), **SKILL)),
    (
        "add",
        lambda browser: send(browser, page(Skill, "add"), **SKILL, _publish="1", accepted="on"),
    ),
    ("add", lambda browser: send(browser, page(Source, "add"), **SOURCE)),
    ("add", lambda browser: send(browser, page(User, "add"), **USER)),
    ("add", lambda browser: send(browser, page(Group, "add"), name="Readers")),
    ("add", lambda browser: send(browser, "/admin/agents/invitation/add/")),
    (
        "add",
        lambda browser: send(
            browser, page(Publisher, "add"), agent=Agent.objects.earliest("pk").handle, **PUBLISHER
        ),
    ),
    ("change", change_of(Skill, {"slug": "pdf-tables-1"}, description="Another.", accepted="on")),
    ("change", change_of(Persona, {"slug": "archivist-1"}, title="Another.", accepted="on")),
    ("change", change_of(Skill, {"slug": "draft"}, title="A", _publish="1", accepted="on")),
    (
        "change",
        change_of(
            Skill, {"slug": "pdf-tables-1"}, content=SKILL_MD.format("pdf-tables-1"), _desk="1"
        ),
    ),
    ("change", change_of(User, {"username": "clerk-1"}, email="ada@example.com")),
    ("change", change_of(Group, {"name__in": ["group-1", "Readers"]}, name="Readers")),
    ("change", change_of(Agent, {"handle": "crawler-1"}, tier="plus")),
    ("change", change_of(Source, {"name": "source-1"}, wait_hours=3)),
    ("change", change_of(Publisher, {"project": "74"}, environment="production")),
    ("delete", deletion_of(Skill, slug="draft")),
    ("delete", deletion_of(Group, name="group-1")),
    ("delete", deletion_of(Publisher, project="74")),
    (
        "password_change",
        lambda browser: send(
            browser,
            page(User, "password_change", username="clerk-1"),
            **USER,
            usable_password="true",
        ),
    ),
    (
        "do_version",
        lambda browser: confirmed(browser, skill("do_version", 1, "restore"), accepted="on"),
    ),
    (
        "do_version",
        lambda browser: confirmed(browser, skill("do_version", 1, "recall"), reason="Bad."),
    ),
    (
        "rename_tag",
        lambda browser: confirmed(browser, page(Skill, "rename_tag") + "?tag=pdf", new="doc"),
    ),
    ("import_run", import_a_zip),
    ("maintainers", lambda browser: send(browser, skill("maintainers"), agent="guest-1")),
    ("do_maintainer", lambda browser: confirmed(browser, maintainer("trust"))),
    ("do_maintainer", lambda browser: confirmed(browser, maintainer("end_trust", "other-guest-1"))),
    ("do_maintainer", lambda browser: confirmed(browser, maintainer("remove"))),
    ("open_to_all", lambda browser: confirmed(browser, skill("open_to_all"))),
    ("decide", partial(decide, decision="publish")),
    ("decide", partial(decide, decision="reject")),
    ("simple_history", restore_snapshot),
    ("second_factor", set_up_second_factor),
    ("password_change", change_password),
]
EXPORTS = {"export", "archive"}  # see below
SIGN_INS = {"login", "logout", "end_sessions"}  # see below


def names_of_pages():
    """Without the names of the models that are before them."""
    names = {url.name for url in admin.site.get_urls() if hasattr(url, "name")}
    for model, model_admin in admin.site._registry.items():
        start = f"{model._meta.app_label}_{model._meta.model_name}_"
        names |= {(url.name or "").removeprefix(start) for url in model_admin.get_urls()}
    return names - {"", None}


@pytest.fixture
def browser(db):
    user = User.objects.create_superuser("clerk-0", password="right-password")
    browser = Client()
    browser.force_login(user)
    return browser


def make_pages():
    make_rows(1, 1)
    row = Skill.objects.get(slug="pdf-tables-1")
    row.take_snapshot()
    rewrite(row, "Do it better.", description="Reads tables.")
    ImportRun.objects.all().delete()
    SkillFactory(slug="draft", status="draft", content=SKILL_MD.format("draft"))
    Maintainer.objects.add(row, Agent.objects.get(handle="crawler-1"))
    Maintainer.objects.add(row, Agent.objects.get(handle="other-guest-1")).trust()


@pytest.mark.contract("33.3", "33.8")
@pytest.mark.slow
def test_each_page(browser, alone, settings, rates):
    rates(install={"free": "20/h", "plus": "200/h"})
    settings.SOURCE_HOSTS = ["git.example.com"]
    make_pages()
    assert names_of_pages() == READING | LISTS | EXPORTS | SIGN_INS | {name for name, _ in CASES}

    cookies = deepcopy(browser.cookies)
    for number, (name, act) in enumerate(CASES):
        browser.cookies = deepcopy(cookies)  # Their sessions are rolled back, too.
        with alone(f"{number} {name}"):
            if name == "open_to_all":
                for row in Maintainer.objects.all():
                    row.remove()
            watcher = Watcher()
            act(browser)
            watcher.assert_told_once()
            assert watcher.changed
            [event] = watcher.events
            assert (event.actor_kind, event.actor_name) == ("staff", "clerk-0")
            act(browser)
            watcher.assert_told_once()
