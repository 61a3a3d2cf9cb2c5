"""The admin in a real browser: what staff do in a day"""

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User

from catalogue.models import Skill
from operators.models import OperatorSession
from tests.admin.visitors import StaffVisitor
from tests.admin.walk_catalogue import import_a_folder, import_a_zip, write_a_skill
from tests.admin.walk_second_factor import set_up_a_second_factor
from tests.chromium import needs_chromium, visit
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    SkillInstallFactory,
    SubmissionFactory,
    claim,
    review,
)

pytestmark = [pytest.mark.external, needs_chromium]


@pytest.fixture
def staff(live_server_of, serious_violations):
    server = live_server_of()
    hasher = PBKDF2PasswordHasher()  # the server's; the suite's own is a quicker one
    password = hasher.encode("right-password", hasher.salt())
    User.objects.create(username="clerk", password=password, is_staff=True, is_superuser=True)
    with visit(StaffVisitor, server, "desktop") as staff:
        staff.serious_violations = serious_violations
        yield staff


def test_a_day_in_the_admin(staff, tmp_path):
    agent = AgentFactory(handle="crawler")
    skill = SkillFactory(slug="log-triage", downloads=1)
    persona = PersonaFactory(slug="archivist", skills=[skill])
    for rating in (5, 1):
        unkind = review(AgentFactory(), persona, rating, "Buy at my shop." if rating == 1 else "")
    SkillInstallFactory(agent=agent, skill=skill)

    staff.log_in()
    staff.look("start")
    staff.open(f"/admin/catalogue/persona/{persona.pk}/change/")
    staff.look("persona")
    assert staff.page.inner_text("#save-label") == "Save labels, price and skills"
    for step in (write_a_skill, import_a_zip, undo_a_change, look_after_a_token):
        step(staff)
    import_a_folder(staff, tmp_path / "tea-tables")
    rename_a_tag(staff)
    look_after_an_operator(staff, agent)
    hide_a_review(staff, unkind)
    recall_a_skill(staff, agent)
    decide_on_the_desk(staff, agent)
    set_up_a_second_factor(staff)

    staff.open("/admin/")
    staff.look("start-later")
    assert "imports with refused files this week" in staff.text().lower()
    assert staff.errors == []


def rename_a_tag(staff):
    staff.open("/admin/catalogue/skill/tags/")
    staff.look("tags")
    staff.page.locator("[aria-label='Rename pdf']").click()
    staff.page.fill("#id_new", "documents")
    staff.look("rename")
    staff.press("Rename the tag pdf")
    assert "documents" in staff.api("skills/pdf-tables").json()["tags"]


def undo_a_change(staff):
    skill = Skill.objects.get(slug="pdf-tables")
    staff.open(f"/admin/catalogue/skill/{skill.pk}/change/")
    staff.page.fill("#id_description", "Reads nothing any more.")
    staff.press("Save and continue editing")
    assert staff.api("skills/pdf-tables").json()["description"] == "Reads nothing any more."

    staff.open(f"/admin/catalogue/skill/{skill.pk}/history/")
    staff.look("history")
    assert "Reads nothing any more." in staff.page.inner_text(".diff .add >> nth=0")
    # The newest is today's, and no link; the first link leads to the state before the change.
    with staff.page.expect_navigation():
        staff.page.locator(".staff-step header a").first.click()
    staff.look("restore")
    staff.press("Restore this state")
    assert "Restored the state of" in staff.text()
    restored = staff.api("skills/pdf-tables").json()
    assert restored["description"] == "Reads tables out of PDF files."
    assert "camelot" in restored["content"]


def look_after_a_token(staff):
    staff.open("/admin/agents/agent/")
    staff.page.fill("#searchbar", "crawl")
    with staff.page.expect_navigation():
        staff.page.locator("#searchbar").press("Enter")
    staff.press("crawler")
    staff.look("agent")
    staff.press("Issue a token")
    staff.page.uncheck("input[value=review]")
    staff.page.fill("#id_expires_in_days", "30")
    staff.press("Issue the token")
    token = staff.page.inner_text(".staff-token").strip()
    staff.look("token")
    assert staff.api("agents/me", token=token).json()["scopes"] == ["read", "install"]

    staff.open("/admin/agents/agenttoken/")
    staff.page.fill("#searchbar", token)
    with staff.page.expect_navigation():
        staff.page.locator("#searchbar").press("Enter")
    assert token not in staff.page.url
    staff.look("token-found")
    staff.press("Revoke")
    staff.press("Revoke")
    assert staff.api("agents/me", token=token).status == 401


def look_after_an_operator(staff, agent):
    key = claim(agent)
    claim(AgentFactory(handle="spider"), key=key)
    agent.claim.refresh_from_db()
    OperatorSession.objects.begin(agent.claim.key)
    agent.change(limits={"install": 5})
    agent.pause()
    assert staff.api("agents/me", token=agent.token.text).status == 401

    staff.open(f"/admin/agents/agent/{agent.pk}/change/")
    assert "lowered by its operator; the tier allows 20" in staff.text()
    staff.look("agent-paused")
    staff.open("/admin/agents/operatorkey/")
    staff.look("operators")
    staff.page.fill("#searchbar", key)
    with staff.page.expect_navigation():
        staff.page.locator("#searchbar").press("Enter")
    assert key not in staff.page.url
    assert "ada@example.com (not verified)" in staff.text()
    staff.look("operator")
    staff.press("End the sessions")
    staff.look("end-sessions")
    staff.press("End the sessions")
    assert not OperatorSession.objects.exists()
    staff.press("Release the claims")
    staff.look("release")
    staff.press("Release the claims")
    profile = staff.api("agents/me", token=agent.token.text).json()
    assert profile["claim"]["status"] == "unclaimed"
    staff.open(f"/admin/agents/agent/{agent.pk}/history/")
    assert "Released the claim of Ada Lovelace." in staff.text()
    staff.look("agent-history")
    staff.open(f"/admin/agents/operatorkey/{agent.claim.key_id}/history/")
    assert "Ended the sessions." in staff.text()
    staff.look("operator-history")


def hide_a_review(staff, unkind):
    def average():
        return staff.api("personas/archivist").json()["ratings"]

    assert (average()["average"], average()["distribution"]["1"]) == (3, 1)
    staff.open("/admin/reviews/review/")
    staff.page.locator("#action-toggle").check()
    staff.look("reviews-chosen")
    staff.open(f"/admin/reviews/review/{unkind.pk}/change/")
    staff.press("Hide")
    # Chromium without a screen does not always focus it.
    staff.page.locator("#id_reason[autofocus]").fill("Advertising.")
    staff.look("hide")
    staff.press("Hide")
    assert "Hidden: archivist by " in staff.text()
    assert (average()["average"], average()["distribution"]["1"]) == (5, 0)
    staff.look("reviews")


def recall_a_skill(staff, agent):
    skill = Skill.objects.get(slug="log-triage")
    staff.open(f"/admin/catalogue/skill/{skill.pk}/change/")
    staff.press("Recall")
    assert "1 agent" in staff.text()
    staff.page.fill("#id_reason", "It deletes logs.")
    staff.look("recall")
    staff.press("Recall")
    staff.look("recalled")
    assert staff.api("skills/log-triage").status == 404
    (advisory,) = staff.api("agents/me", token=agent.token.text).json()["advisories"]
    assert (advisory["slug"], advisory["reason"]) == ("log-triage", "It deletes logs.")


def decide_on_the_desk(staff, agent):
    first, second, third = (SubmissionFactory(agent=agent, slug=slug) for slug in ("a", "b", "c"))
    SkillFactory(slug=second.slug)
    keyboard = staff.page.keyboard

    def press(*keys):
        with staff.page.expect_navigation():
            for key in keys:
                keyboard.press(key)

    staff.open("/admin/submissions/submission/")
    staff.look("desk")
    with staff.page.expect_navigation():
        staff.page.locator("#result_list .field-entry a").first.click()
    staff.look("submission")
    press("j")
    assert "Number 2 of the 3 left" in staff.page.text_content("#desk")
    staff.look("submission-of-an-entry")
    press("k")
    keep_a_reason(staff, first)
    press("p", "Enter")
    assert "was published by clerk" in staff.page.inner_text("body")
    assert staff.api("skills/a").status == 200

    keyboard.press("r")
    keyboard.type("Nope: just press n.")
    press("Control+Enter")
    second.refresh_from_db()
    assert (second.state, second.reason) == ("rejected", "Nope: just press n.")
    assert f"{third.slug}: a new skill" in staff.text()
    staff.look("submission-next")
    press("p", "Enter")
    assert staff.page.url.startswith(f"{staff.url}/admin/submissions/submission/?")
    first.refresh_from_db()
    assert first.state == "published"


def keep_a_reason(staff, submission):
    """Keys beside p and r neither lose a reason nor publish."""
    page, address = staff.page, staff.page.url
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.keyboard.press("r")
    page.keyboard.type("Not yet.")
    staff.look("submission-reason")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.wait_for_timeout(200)
    assert (asked, page.url) == (["beforeunload"], address)
    page.fill("#id_reason", "")
    page.keyboard.press("Escape")
    for key in ("Space", "Escape"):
        page.keyboard.press("p")
        page.keyboard.press(key)
        page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert page.url == address
    assert not page.locator("#desk details[open]").count()
    submission.refresh_from_db()
    assert submission.state == "pending"
