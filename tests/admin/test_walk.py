"""The staff desk in a real browser: what staff do in a day, on a desktop and on a phone."""

import io
import zipfile

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User

from catalogue.models import Skill
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, SkillInstallFactory, review
from tests.visits import SIZES, Visitor, needs_chromium, visit

pytestmark = [pytest.mark.external, needs_chromium]

SKILL_MD = """---
name: pdf-tables
description: Reads tables out of PDF files.
metadata:
  tags: [pdf, tables]
---

# Tables

Use **pdfplumber**.
"""


class Desk(Visitor):
    """A person at the desk."""

    def log_in(self):
        self.open("/admin/login/")
        self.page.fill("#id_username", "clerk")
        self.page.fill("#id_password", "right-password")
        self.press("Log in")
        assert self.page.url == f"{self.url}/admin/"

    def api(self, path, **options):
        return self.server.request("GET", f"/api/v1/{path}", **options)


@pytest.fixture(params=SIZES)
def desk(request, live_server_of, tmp_path, monkeypatch):
    # Playwright keeps a loop running, beside which Django would refuse to ask the database.
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    server = live_server_of()
    hasher = PBKDF2PasswordHasher()  # the server's; the suite's own is a quicker one
    password = hasher.encode("right-password", hasher.salt())
    User.objects.create(username="clerk", password=password, is_staff=True, is_superuser=True)
    with visit(Desk, server, tmp_path, request.param) as desk:
        yield desk


def zip_of(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return {"name": "skills.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}


def test_a_day_at_the_desk(desk):
    agent = AgentFactory(handle="crawler")
    persona = PersonaFactory(slug="archivist")
    for rating in (5, 1):
        unkind = review(AgentFactory(), persona, rating, "Buy at my shop." if rating == 1 else "")
    SkillInstallFactory(agent=agent, skill=SkillFactory(slug="log-triage", downloads=1))

    desk.log_in()
    desk.picture("start")
    for step in (write_a_skill, import_a_zip, undo_a_change, look_after_a_token):
        step(desk)
    hide_a_review(desk, unkind)
    recall_a_skill(desk, agent)

    desk.open("/admin/")
    desk.picture("start-later")
    assert "imports of this week with refused files" in desk.text().lower()
    assert desk.errors == []


def write_a_skill(desk):
    desk.open("/admin/catalogue/skill/add/")
    desk.page.fill("#id_title", "PDF Tables")
    desk.page.locator("#id_title").press("Tab")
    assert desk.page.input_value("#id_slug") == "pdf-tables"
    desk.page.fill("#id_content", "No frontmatter.")
    desk.press("Save")
    assert "Begin with frontmatter" in desk.text()
    desk.picture("skill-refused")

    desk.page.fill("#id_content", SKILL_MD)
    desk.page.wait_for_selector("#markdown-preview strong:has-text('pdfplumber')")
    desk.picture("skill-preview")
    desk.press("Save and continue editing")
    assert desk.page.input_value("#id_tags") == "pdf,tables"
    assert desk.page.input_value("#id_description") == "Reads tables out of PDF files."
    assert desk.api("skills/pdf-tables").status == 404

    desk.press("Publish")
    desk.picture("publish")
    desk.press("Publish")
    assert "1 set to published." in desk.text()
    assert desk.api("skills/pdf-tables").json()["content"] == SKILL_MD
    desk.press("As an agent sees it")
    assert '"slug": "pdf-tables"' in desk.text()
    desk.picture("as-agent")


def import_a_zip(desk):
    files = {
        "pdf-tables/SKILL.md": SKILL_MD.replace("pdfplumber", "camelot"),
        "csv-cleaning/SKILL.md": "---\nname: csv-cleaning\ndescription: Cleans.\n---\nDo it.\n",
        "broken/SKILL.md": "No frontmatter at all.",
    }
    desk.open("/admin/catalogue/skill/")
    desk.picture("skills")
    desk.press("Import")
    desk.page.set_input_files("#id_file", zip_of(files))
    desk.press("Preview")
    text = desk.text()
    assert "1 would be created, 1 changed, 0 stay as they are, 1 refused" in text
    assert "no frontmatter" in text
    assert "camelot" in desk.page.inner_text(".diff .add")
    assert "pdfplumber" in desk.page.inner_text(".diff .del")
    desk.picture("import-preview")
    assert not Skill.objects.filter(slug="csv-cleaning").exists()

    desk.press("Import")
    desk.picture("import-done")
    assert "broken/SKILL.md: no frontmatter" in desk.text()
    assert "camelot" in desk.api("skills/pdf-tables").json()["content"]
    assert desk.api("skills/csv-cleaning").status == 200


def undo_a_change(desk):
    skill = Skill.objects.get(slug="pdf-tables")
    desk.open(f"/admin/catalogue/skill/{skill.pk}/change/")
    desk.page.fill("#id_description", "Reads nothing any more.")
    desk.press("Save and continue editing")
    assert desk.api("skills/pdf-tables").json()["description"] == "Reads nothing any more."

    desk.open(f"/admin/catalogue/skill/{skill.pk}/history/")
    desk.picture("history")
    words = desk.page.inner_text(".diff-words")
    assert "Reads" in words
    assert "nothing any more." in words
    # The first state that differs from today's is the one before the change.
    desk.press("Restore this state")
    desk.picture("restore")
    desk.press("Restore this state")
    assert "Restored the state of" in desk.text()
    restored = desk.api("skills/pdf-tables").json()
    assert restored["description"] == "Reads tables out of PDF files."
    assert "camelot" in restored["content"]


def look_after_a_token(desk):
    desk.open("/admin/agents/agent/")
    desk.page.fill("#searchbar", "crawl")
    with desk.page.expect_navigation():
        desk.page.locator("#searchbar").press("Enter")
    desk.press("crawler")
    desk.picture("agent")
    desk.press("Issue a token")
    desk.page.uncheck("input[value=review]")
    desk.page.fill("#id_expires_in_days", "30")
    desk.press("Issue the token")
    token = desk.page.inner_text("#token").strip()
    desk.picture("token")
    assert desk.api("agents/me", token=token).json()["scopes"] == ["read", "install"]

    desk.open("/admin/agents/agenttoken/")
    desk.page.fill("#searchbar", token)
    with desk.page.expect_navigation():
        desk.page.locator("#searchbar").press("Enter")
    assert token not in desk.page.url
    desk.picture("token-found")
    desk.press("Revoke")
    desk.press("Revoke")
    assert desk.api("agents/me", token=token).status == 401


def hide_a_review(desk, unkind):
    def average():
        return desk.api("personas/archivist").json()["ratings"]

    assert (average()["average"], average()["distribution"]["1"]) == (3, 1)
    desk.open("/admin/reviews/review/")
    desk.page.check(f"input.action-select[value='{unkind.pk}']")
    desk.picture("review-selected")
    desk.page.select_option("select[name=action]", "hide")
    desk.press("Run")
    desk.page.fill("#id_reason", "Advertising.")
    desk.picture("hide")
    desk.press("Hide")
    assert "1 hidden." in desk.text()
    assert (average()["average"], average()["distribution"]["1"]) == (5, 0)
    desk.picture("reviews")


def recall_a_skill(desk, agent):
    skill = Skill.objects.get(slug="log-triage")
    desk.open(f"/admin/catalogue/skill/{skill.pk}/change/")
    desk.press("Withdraw or recall")
    assert "1 agent" in desk.text()
    desk.page.fill("#id_reason", "It deletes logs.")
    desk.picture("recall")
    desk.press("Withdraw or recall")
    desk.picture("recalled")
    assert desk.api("skills/log-triage").status == 404
    (advisory,) = desk.api("agents/me", token=agent.token.text).json()["advisories"]
    assert (advisory["slug"], advisory["reason"]) == ("log-triage", "It deletes logs.")
