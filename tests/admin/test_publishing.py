"""Staff publish, withdraw and delete skills and personas"""

import pytest
from django.contrib.admin.models import LogEntry

from catalogue.models import Persona, Skill
from tests.admin.actions import take_action
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


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_publish_and_withdraw_change_what_the_api_serves(admin_client, anyone, make, kind):
    entries = [make(slug="one", status="draft"), make(slug="two", status="draft")]
    make(slug="three", status="draft")

    def served():
        return {entry["slug"] for entry in anyone.get(f"/api/v1/{kind}s").json()["results"]}

    assert "2 published." in take_action(admin_client, "publish", *entries).content.decode()
    assert served() == {"one", "two"}
    assert anyone.get(f"/api/v1/{kind}s/one").status_code == 200

    assert "1 withdrawn." in take_action(admin_client, "withdraw", entries[0]).content.decode()
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
def test_what_an_agent_has_installed_cannot_be_deleted(admin_client, install):
    row = SkillInstallFactory() if install == "skill" else PersonaInstallFactory()
    entry = getattr(row, install)

    response = admin_client.post(change_page(entry).replace("change", "delete"), {"post": "yes"})
    take_action(admin_client, "delete_selected", entry)
    admin_client.post(
        f"/admin/catalogue/{install}/",
        {"action": "delete_selected", "_selected_action": entry.pk, "post": "yes"},
    )

    assert response.status_code == 200
    assert str(response.context["title"]) == f"Cannot delete {install}"
    assert type(row).objects.filter(pk=row.pk).exists()
    assert type(entry).objects.filter(pk=entry.pk).exists()


def test_what_was_published_cannot_be_deleted(admin_client):
    skill = SkillFactory(slug="pdf-tables")
    skill.withdraw()

    response = admin_client.post(change_page(skill).replace("change", "delete"), {"post": "yes"})

    assert str(response.context["title"]) == "Cannot delete skill"
    assert "version 1 of pdf-tables" in response.content.decode()
    assert Skill.objects.exists()


def test_deleting_a_draft_leaves_the_personas_that_bundle_it(admin_client, anyone):
    skill = SkillFactory(status="draft")
    PersonaFactory(slug="archivist", skills=[skill])

    response = admin_client.post(change_page(skill).replace("change", "delete"), {"post": "yes"})

    assert response.status_code == 302
    assert not Skill.objects.exists()
    assert Persona.objects.count() == 1
    assert anyone.get("/api/v1/personas/archivist").json()["skills"] == []
