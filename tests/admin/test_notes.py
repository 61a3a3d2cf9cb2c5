"""Staff leave notes on cases and entries, and give them to each other"""

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from marketplace.models import Assignment, Note
from reports.models import Case, Report
from tests.admin.actions import take_action, told
from tests.admin.rows import change_page, url_of
from tests.factories import AgentFactory, SkillFactory


def case_of(slug):
    Report.objects.submit(AgentFactory(), SkillFactory(slug=slug), reason="spam")
    return Case.objects.get(skill__slug=slug)


# The admin of personas has the actions of that of skills.
MAKERS = {"skill": lambda slug: SkillFactory(slug=slug), "case": case_of}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


@pytest.fixture
def clerk(db):
    return User.objects.create_superuser("clerk")


def page_of(client, row):
    return client.get(change_page(row)).content.decode()


def listed(client, row, **query):
    return list(client.get(url_of(type(row), "changelist"), query).context["cl"].result_list)


def test_a_note_is_on_the_page_and_in_the_log(ada, make, anyone):
    row = make("one")

    page = take_action(ada, "add_note", row, text="Ask the <author>.\r\nThen publish.")

    assert told(page) == [f"Added a note: {row}."]
    note = Note.objects.get()
    assert (note.author.username, note.text) == ("ada", "Ask the <author>.\nThen publish.")
    assert "<span>Ask the &lt;author&gt;.<br>Then publish.</span><span>ada, " in page_of(ada, row)
    assert "Ask the" not in page_of(ada, make("two"))
    assert "Ask the" not in anyone.get("/api/v1/skills/one").content.decode()


def test_a_row_is_assigned_and_found_by_that(ada, bob, make, clerk):
    row, other = make("one"), make("two")
    me = User.objects.get(username="ada")

    page = take_action(ada, "assign", row, assignee=me.pk)

    assert told(page) == [f"Assigned to ada: {row}."]
    assert "<h2>Assigned to ada</h2>" in page_of(bob, row)
    assert listed(ada, row, assigned="me") == [row]
    assert listed(bob, row, assigned="me") == []
    assert listed(bob, row, assigned="anyone") == [row]
    assert listed(bob, row, assigned="nobody") == [other]
    [panel] = [r for r in ada.get("/admin/").context["rankings"] if r["title"] == "Assigned to you"]
    assert panel["rows"] == [(str(row), row._meta.verbose_name, change_page(row))]
    assert "Assigned to you" not in bob.get("/admin/").content.decode()

    take_action(bob, "assign", row, assignee=clerk.pk)
    assert Assignment.objects.get().assignee == clerk
    take_action(bob, "assign", row, assignee="")
    assert not Assignment.objects.exists()


def test_the_queue_shows_who_looks_after_a_case(ada, clerk):
    case, _ = case_of("one"), case_of("two")
    take_action(ada, "assign", case, assignee=clerk.pk)

    text = ada.get(url_of(Case, "changelist")).content.decode()

    assert text.count("clerk</td>") == 1
    assert text.count("nobody</td>") == 1


def test_a_resolved_case_is_nobodys(ada, clerk):
    case = case_of("one")
    take_action(ada, "assign", case, assignee=clerk.pk)
    take_action(ada, "resolve", case)

    assert not Assignment.objects.exists()


@pytest.mark.parametrize("name", ["visitor", "gone"])
def test_a_row_is_assigned_to_staff_alone(ada, name):
    skill = SkillFactory()
    user = User.objects.create_user(name, is_staff=name == "gone", is_active=name != "gone")

    page = take_action(ada, "assign", skill, assignee=user.pk)

    assert "Select a valid choice." in page.content.decode()
    assert not Assignment.objects.exists()


def test_a_note_must_not_hold_a_token(ada, agent):
    page = take_action(ada, "add_note", SkillFactory(), text=agent.token.text)

    assert "Remove the agent token from this text, and revoke it." in page.content.decode()
    assert not Note.objects.exists()


def test_a_row_is_assigned_to_oneself(ada, make, clerk):
    row = make("one")

    page = take_action(ada, "assign_to_me", row)

    assert told(page) == [f"Assigned to ada: {row}."]
    assert Assignment.objects.get().assignee.username == "ada"
    assert "<h2>Assigned to ada</h2>" in page_of(ada, row)


def test_a_deleted_draft_takes_its_notes_along(ada):
    skill = SkillFactory(status="draft")
    take_action(ada, "add_note", skill, text="Old.")
    take_action(ada, "assign", skill, assignee=User.objects.get(username="ada").pk)

    ada.post(url_of(type(skill), "delete", skill.pk), {"post": "yes"})

    assert not Note.objects.exists()
    assert not Assignment.objects.exists()


def test_permission_to_view_adds_no_note(clerk_with):
    skill, reader = SkillFactory(), clerk_with("view_skill")
    skill.notes.create(text="Seen.")

    assert "<span>Seen.</span><span>a former user, " in page_of(reader, skill)
    assert reader.post(url_of(type(skill), "do", skill.pk, "add_note")).status_code == 403


def test_the_dashboard_leads_only_to_pages_that_its_reader_may_open(db):
    clerk = User.objects.create_user("clerk", is_staff=True)
    skill = SkillFactory(slug="one")
    Assignment.objects.assign(skill, clerk)
    browser = Client()
    browser.force_login(clerk)

    page = browser.get("/admin/")

    assert "<li><span>one</span><span>skill</span></li>" in page.content.decode()
    clerk.user_permissions.add(Permission.objects.get(codename="view_skill"))
    page = browser.get("/admin/").content.decode()
    assert f'<a href="{change_page(skill)}">one</a>' in page
