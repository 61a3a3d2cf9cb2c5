"""Staff publish, withdraw and delete skills and personas"""

import pytest
from django.contrib.admin.models import LogEntry

from catalogue.models import Persona, Skill
from tests.admin.actions import take_action, told
from tests.admin.rows import change_page
from tests.browser import untouched_form
from tests.factories import (
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)

SKILL_MD = (
    "---\nname: pdf-tables\ndescription: Reads tables.\n---\n\n"
    "# Tables\n\n    indented\n\nThe end.\n"
)
KINDS = [
    pytest.param(SkillFactory, "skill", id="skill"),
    pytest.param(PersonaFactory, "persona", id="persona"),
]


def test_a_skill_made_by_hand_is_a_draft_until_it_is_published(admin_client, anyone):
    form = untouched_form(admin_client.get("/admin/catalogue/skill/add/"))
    content = SKILL_MD.replace("\n", "\r\n")
    new = {"slug": "pdf-tables", "title": "Tables", "content": content}

    assert admin_client.post("/admin/catalogue/skill/add/", form | new).status_code == 302
    assert anyone.get("/api/v1/skills/pdf-tables").status_code == 404

    take_action(admin_client, "publish", Skill.objects.get())
    assert anyone.get("/api/v1/skills/pdf-tables").json()["content"] == SKILL_MD


def add(client, kind, **fields):
    url = f"/admin/catalogue/{kind}/add/"
    return client.post(url, untouched_form(client.get(url)) | fields, follow=True)


ABOUT = {"slug": "pdf-tables", "title": "Tables", "description": "Reads.", "license": "MIT"}
NEW = {
    "skill": ABOUT | {"content": SKILL_MD},
    "persona": ABOUT | {"content": "Read tables."},
}
IS_DRAFT = "pdf-tables is a draft: agents cannot find it until you publish it. Publish it now."


@pytest.mark.parametrize("kind", NEW)
def test_a_new_entry_says_that_it_is_a_draft_and_leads_to_publishing_it(admin_client, kind):
    page = add(admin_client, kind, **NEW[kind])

    assert told(page) == [IS_DRAFT]
    entry = (Skill if kind == "skill" else Persona).objects.get()
    assert f'href="/admin/catalogue/{kind}/{entry.pk}/do/publish/"' in page.content.decode()
    assert "<b>This is a draft</b>" in admin_client.get(change_page(entry)).content.decode()


@pytest.mark.parametrize("kind", NEW)
def test_a_new_entry_is_saved_and_published_at_once(admin_client, anyone, kind):
    page = add(admin_client, kind, **NEW[kind], _publish="")

    assert told(page) == ["Published: pdf-tables (version 1, no agent gets it yet)."]
    assert anyone.get(f"/api/v1/{kind}s/pdf-tables").json()["title"] == "Tables"
    entry = (Skill if kind == "skill" else Persona).objects.get()
    reasons = [snapshot.history_change_reason for snapshot in entry.history.all()]
    assert reasons == ["Published.", ""]


def test_a_draft_is_saved_and_published_at_once(admin_client, anyone):
    skill = SkillFactory(slug="pdf-tables", content=SKILL_MD, status="draft")
    form = untouched_form(admin_client.get(change_page(skill)))

    response = admin_client.post(change_page(skill), form | {"title": "All", "_publish": ""})

    assert response.status_code == 302
    assert anyone.get("/api/v1/skills/pdf-tables").json()["title"] == "All"


@pytest.mark.parametrize("status", ["published", "withdrawn"])
def test_only_drafts_have_save_and_publish(admin_client, status):
    skill = SkillFactory(slug="pdf-tables", content=SKILL_MD, status=status)
    page = admin_client.get(change_page(skill))

    admin_client.post(change_page(skill), untouched_form(page) | {"_publish": "", "title": "New"})

    assert "Save and publish" not in page.content.decode()
    skill.refresh_from_db()
    assert (skill.title, skill.status) == ("New", status)


def test_permission_to_add_does_not_publish(clerk_with):
    clerk = clerk_with("view_skill", "add_skill")
    page = clerk.get("/admin/catalogue/skill/add/")

    assert "Save and publish" not in page.content.decode()
    assert told(add(clerk, "skill", **NEW["skill"], _publish="")) == [
        "pdf-tables is a draft: agents cannot find it until you publish it."
    ]
    assert Skill.objects.get().status == "draft"


def test_a_text_that_may_not_be_published_is_saved_as_a_draft(admin_client):
    skill = SkillFactory(slug="pdf-tables", content=SKILL_MD, license="MIT")
    skill.content = SKILL_MD + "More.\n"
    skill.save()
    skill.versions.get(number=1).recall("It leaks.")
    skill.redraft()
    form = untouched_form(admin_client.get(change_page(skill)))

    edits = {"content": SKILL_MD, "_publish": ""}
    page = admin_client.post(change_page(skill), form | edits, follow=True)

    assert told(page) == [
        "pdf-tables: This text was recalled. Change it, or lift the recall of its version.",
        IS_DRAFT,
    ]
    skill.refresh_from_db()
    assert (skill.content, skill.status) == (SKILL_MD, "draft")


def test_a_message_names_the_first_rows_and_links_them(admin_client):
    skills = [SkillFactory(slug=f"skill-{number}", status="draft") for number in range(7)]

    page = take_action(admin_client, "publish", *skills)

    names = [f"skill-{number} (version 1, no agent gets it yet)" for number in range(5)]
    assert told(page) == [f"Published: {', '.join(names)} and 2 more."]
    assert f'href="{change_page(skills[0])}">skill-0 (' in page.content.decode()


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_publish_and_withdraw_change_what_the_api_serves(admin_client, anyone, make, kind):
    entries = [make(slug="one", status="draft"), make(slug="two", status="draft")]
    make(slug="three", status="draft")

    def served():
        return {entry["slug"] for entry in anyone.get(f"/api/v1/{kind}s").json()["results"]}

    number = "(version 1, no agent gets it yet)"
    assert told(take_action(admin_client, "publish", *entries)) == [
        f"Published: one {number}, two {number}."
    ]
    assert served() == {"one", "two"}
    assert anyone.get(f"/api/v1/{kind}s/one").status_code == 200

    assert told(take_action(admin_client, "withdraw", entries[0])) == ["Withdrawn: one."]
    assert served() == {"two"}
    assert anyone.get(f"/api/v1/{kind}s/one").status_code == 404
    assert LogEntry.objects.count() == 3


def test_a_withdrawn_skill_keeps_its_downloads(admin_client):
    skill = SkillFactory(downloads=7)

    take_action(admin_client, "withdraw", skill)
    take_action(admin_client, "publish", skill)

    skill.refresh_from_db()
    assert (skill.downloads, skill.status) == (7, "published")


@pytest.mark.parametrize("install", ["skill", "persona"])
def test_an_installed_entry_cannot_be_deleted(admin_client, install):
    row = SkillInstallFactory() if install == "skill" else PersonaInstallFactory()
    entry = getattr(row, install)

    response = admin_client.post(change_page(entry).replace("change", "delete"), {"post": "yes"})
    take_action(admin_client, "delete_selected", entry)
    admin_client.post(
        f"/admin/catalogue/{install}/",
        {"action": "delete_selected", "_selected_action": entry.pk, "post": "yes"},
    )

    assert response.status_code == 403
    assert type(row).objects.filter(pk=row.pk).exists()
    assert type(entry).objects.filter(pk=entry.pk).exists()


def test_the_admin_deletes_drafts_only(admin_client):
    skill = SkillFactory(slug="pdf-tables")
    skill.withdraw()

    response = admin_client.post(change_page(skill).replace("change", "delete"), {"post": "yes"})

    assert response.status_code == 403
    assert Skill.objects.exists()
    draft = SkillFactory(status="draft")
    deletes = [
        f'/skill/{row.pk}/delete/"' in admin_client.get(change_page(row)).content.decode()
        for row in (skill, draft)
    ]
    assert deletes == [False, True]


def test_deleting_a_draft_leaves_the_personas_that_bundle_it(admin_client, anyone):
    skill = SkillFactory(status="draft")
    PersonaFactory(slug="archivist", skills=[skill])

    response = admin_client.post(change_page(skill).replace("change", "delete"), {"post": "yes"})

    assert response.status_code == 302
    assert not Skill.objects.exists()
    assert Persona.objects.count() == 1
    assert anyone.get("/api/v1/personas/archivist").json()["skills"] == []


NOT_REDRAFTED = (
    "Nothing to move back: all of these are drafts or recalled. Publishing ends a recall."
)


@pytest.mark.parametrize(
    ("action", "status", "sentence"),
    [
        ("publish", "published", "Nothing to publish: all of these are already published."),
        ("redraft", "draft", NOT_REDRAFTED),
    ],
)
def test_an_action_without_effect_is_refused_and_not_logged(admin_client, action, status, sentence):
    skill = SkillFactory(status=status)

    assert told(take_action(admin_client, action, skill)) == [sentence]

    assert not LogEntry.objects.exists()
