"""Staff confirm what they were shown: what others did meanwhile is shown first"""

import pytest
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django_otp.plugins.otp_totp.models import TOTPDevice

from catalogue.models import Skill
from marketplace.adminsite.base import StaffModelAdmin
from reviews.models import Review
from tests.admin.actions import take_action
from tests.admin.edits import opened, saved
from tests.admin.files import SKILL_MD, upload, zip_of
from tests.admin.rows import everything, first_of, make_rows, url_of
from tests.api.concurrency import during
from tests.browser import untouched_form
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, review

UNDONE = "Nothing was changed: this has been edited since you opened the page"
ACTIONS = [
    (model_admin, action)
    for model_admin in admin.site._registry.values()
    if isinstance(model_admin, StaffModelAdmin)
    for action in (getattr(action, "__name__", action) for action in model_admin.actions)
    if action not in {"export", "issue_token"}  # they take nothing away
]


def confirmation(client, row, action):
    """The address of the page that confirms an action, and its form."""
    url = url_of(type(row), "do", row.pk, action)
    return url, untouched_form(client.get(url)) | {"confirmed": "yes"}


def act(client, row, action, **fields):
    url, form = confirmation(client, row, action)
    assert client.post(url, form | fields).status_code == 302


@pytest.mark.slow
def test_every_action_waits_for_a_look_at_what_others_have_done(ada, bob, subtests):
    make_rows(1, 1)
    Skill.objects.update(license="MIT")
    TOTPDevice.objects.create(user=first_of(User), name="Authenticator app")
    confirmed = []
    for model_admin, action in ACTIONS:
        row = first_of(model_admin.model)
        url, form = confirmation(bob, row, action)
        if "opened_at" not in form:
            continue  # It changes nothing about this row.
        with subtests.test(f"{action} of {row._meta.label}"):
            confirmed.append(action)
            LogEntry.objects.log_actions(
                User.objects.get(username="ada").pk,
                [row],
                CHANGE,
                "Looked after.",
                single_object=True,
            )
            before = everything()

            response = bob.post(url, form | {"reason": "Why.", "message": "Why."})

            page = response.content.decode()
            assert UNDONE in page
            assert "<b>ada: Looked after.</b>" in page
            assert everything() == before
    assert len(confirmed) >= 15


def test_a_recall_is_not_ended_by_somebody_who_does_not_know_of_it(ada, bob):
    skill = SkillFactory()
    skill.redraft()
    url, form = confirmation(bob, skill, "publish")
    act(ada, skill, "recall", reason="It deletes logs.")

    response = bob.post(url, form)

    assert "<b>ada: Recalled: It deletes logs.</b>" in response.content.decode()
    skill.refresh_from_db()
    assert skill.is_recalled
    again = untouched_form(response) | {"confirmed": "yes"}
    assert bob.post(url, again).status_code == 302
    skill.refresh_from_db()
    assert skill.is_published


def test_the_message_names_the_row_that_changed_meanwhile(ada, bob):
    skills = [SkillFactory(slug=slug, status="draft") for slug in ("pdf-tables", "log-triage")]
    form = {"action": "publish", "_selected_action": [skill.pk for skill in skills]}
    page = bob.post("/admin/catalogue/skill/", form)
    act(ada, skills[1], "withdraw")

    sent = form | {"opened_at": untouched_form(page)["opened_at"], "confirmed": "yes"}
    response = bob.post("/admin/catalogue/skill/", sent)

    assert "<b>ada, log-triage: Withdrawn.</b>" in response.content.decode()
    assert not Skill.objects.published().exists()


def test_a_refused_form_keeps_its_input(ada, bob):
    persona = PersonaFactory()
    url, form = confirmation(bob, persona, "deprecate")
    act(ada, persona, "deprecate", message="Ada's reason.")

    response = bob.post(url, form | {"message": "Bob's reason."})

    assert untouched_form(response)["message"] == "Bob's reason."
    persona.refresh_from_db()
    assert persona.deprecation_message == "Ada's reason."


def test_a_restored_state_does_not_undo_an_edit_that_was_not_shown(ada, bob):
    skill = SkillFactory(title="First")
    saved(ada, skill, opened(ada, skill) | {"title": "Second"})
    first = skill.history.get(title="First")
    url = url_of(Skill, "simple_history", skill.pk, first.history_id)
    form = untouched_form(bob.post(url)) | {"confirmed": "yes"}
    saved(ada, skill, opened(ada, skill) | {"author": "ada"})

    response = bob.post(url, form)

    assert UNDONE in response.content.decode()
    skill.refresh_from_db()
    assert (skill.title, skill.author) == ("Second", "ada")
    bob.post(url, untouched_form(response) | {"confirmed": "yes"})
    skill.refresh_from_db()
    assert (skill.title, skill.author) == ("First", "")


def test_an_agent_cannot_keep_staff_from_acting(bob):
    agent, persona = AgentFactory(), PersonaFactory()
    review(agent, persona, 1, "Buy.")
    url, form = confirmation(bob, first_of(Review), "hide")
    review(agent, persona, 1, "Buy now.")

    assert bob.post(url, form | {"reason": "Spam."}).status_code == 302

    assert Review.objects.get().state == "hidden"


def test_an_import_does_not_undo_an_edit_that_its_preview_did_not_show(ada, bob):
    skill, other = SkillFactory(slug="pdf-tables"), SkillFactory(slug="csv-cleaning", downloads=1)
    slugs = ["pdf-tables", "csv-cleaning"]
    page = upload(bob, zip_of({f"{slug}/SKILL.md": SKILL_MD.format(slug) for slug in slugs}))
    saved(ada, skill, opened(ada, skill) | {"title": "Ada's"})
    Skill.objects.filter(pk=other.pk).update(downloads=2)

    done = bob.post(page.request["PATH_INFO"], untouched_form(page) | {"all": "yes"}, follow=True)

    assert "pdf-tables has changed since the preview" in done.content.decode()
    for row in (skill, other):
        row.refresh_from_db()
    assert (skill.title, skill.content) == ("Ada's", "Do it.")
    assert (other.downloads, other.content) == (2, SKILL_MD.format("csv-cleaning"))


@pytest.mark.django_db(transaction=True)
def test_writing_the_frontmatter_keeps_a_text_that_is_saved_meanwhile(bob):
    text = SKILL_MD.format("pdf-tables")
    skill = SkillFactory(slug="pdf-tables", description="New.", content=text)
    url, form = confirmation(bob, skill, "write_frontmatter")

    def edit():
        Skill.objects.filter(pk=skill.pk).update(content=f"{text}More.\n")

    [response] = during(edit, lambda: bob.post(url, form))

    assert response.status_code == 302
    skill.refresh_from_db()
    assert "description: New." in skill.content
    assert skill.content.endswith("More.\n")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("action", ["withdraw", "redraft", "recall"])
def test_leaving_the_catalogue_keeps_a_deprecation_that_is_saved_meanwhile(bob, action):
    first, second = SkillFactory(), SkillFactory()

    def deprecate():
        first.lock()
        second.deprecate("It reads scans only.")

    during(deprecate, lambda: take_action(bob, action, first, second, reason="It deletes logs."))

    second.refresh_from_db()
    assert not second.is_published
    assert second.deprecation_message == "It reads scans only."
