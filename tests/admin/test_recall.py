"""Staff recall an entry: every agent that has it reads the reason in its profile"""

import re

import pytest
from django.core.management import call_command
from django.utils import timezone

from marketplace.api.fields import timestamp
from reports.models import Case
from tests.admin.actions import take_action, told
from tests.admin.rows import change_page
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    PersonaInstallFactory,
    SkillFactory,
    SkillInstallFactory,
)

ME = "/api/v1/agents/me"


@pytest.fixture
def skill(agent):
    skill = SkillFactory(slug="log-triage", title="Log Triage", downloads=1)
    SkillInstallFactory(agent=agent, skill=skill)
    return skill


def advisories(client):
    return client.get(ME).json()["advisories"]


def test_nothing_is_recalled_at_first(client, skill):
    assert advisories(client) == []


def test_the_page_that_confirms_shows_how_many_have_it(admin_client, skill):
    page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/do/recall/")

    assert "<b>log-triage</b><span>1 agent</span>" in page.content.decode()
    PersonaFactory(skills=[skill])
    page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/do/withdraw/")
    assert "1 agent; also bundled by 1 persona" in page.content.decode()
    skill.refresh_from_db()
    assert skill.status == "published"


@pytest.mark.contract("13.12", "18.5")
def test_a_recalled_skill_is_gone_and_its_agents_read_why(admin_client, client, anyone, skill):
    take_action(admin_client, "recall", skill, reason="It deletes logs.")

    assert anyone.get("/api/v1/skills/log-triage").status_code == 404
    skill.refresh_from_db()
    assert advisories(client) == [
        {
            "kind": "skill",
            "slug": "log-triage",
            "title": "Log Triage",
            "number": None,
            "reason": "It deletes logs.",
            "withdrawnAt": timestamp(skill.withdrawn_at),
        }
    ]
    assert client.get(ME).json()["skills"][0]["slug"] == "log-triage"


def test_the_page_of_a_recalled_skill_says_so_and_links_to_its_public_page(admin_client, skill):
    take_action(admin_client, "recall", skill, reason="It deletes logs.")

    page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/change/").content.decode()

    assert '<span class="state state-recalled">recalled</span>' in page
    assert '<a href="/skills/log-triage"' in page
    assert "Recall reason" in page


def test_staff_read_recalled_wherever_they_read_a_state(admin_client, skill):
    take_action(admin_client, "recall", skill, reason="It deletes logs.")
    case = Case.objects.create(skill=skill, open_reports=0, last_reported_at=timezone.now())
    of_skill = f"/admin/catalogue/skill/{skill.pk}"

    for url, text in (
        (f"{of_skill}/as-agent/", "This skill is recalled, so agents get a 404."),
        (f"/admin/reports/case/{case.pk}/change/", "Log Triage (recalled)"),
        (f"{of_skill}/history/", "Recall reason"),
    ):
        assert text in admin_client.get(url).content.decode(), url


@pytest.mark.contract("13.12")
def test_an_agent_without_it_has_no_advisory(admin_client, client_of, skill):
    take_action(admin_client, "recall", skill, reason="It deletes logs.")

    assert advisories(client_of(AgentFactory())) == []


def test_personas_are_recalled_too_and_the_newest_comes_first(admin_client, client, agent, skill):
    persona = PersonaInstallFactory(agent=agent, persona=PersonaFactory(slug="archivist")).persona

    take_action(admin_client, "recall", skill, reason="It deletes logs.")
    take_action(admin_client, "recall", persona, reason="It deletes archives.")

    assert [(advisory["kind"], advisory["slug"]) for advisory in advisories(client)] == [
        ("persona", "archivist"),
        ("skill", "log-triage"),
    ]


@pytest.mark.contract("13.13")
def test_a_skill_that_comes_with_a_persona_has_one_advisory(admin_client, client, agent, skill):
    bundled = SkillFactory(slug="bundled")
    for slug in ("archivist", "scribe"):
        persona = PersonaFactory(slug=slug, skills=[skill, bundled, SkillFactory()])
        PersonaInstallFactory(agent=agent, persona=persona)

    take_action(admin_client, "recall", skill, bundled, reason="They delete logs.")

    assert [advisory["slug"] for advisory in advisories(client)] == ["bundled", "log-triage"]


def test_the_form_says_that_its_page_is_public_and_takes_a_successor(admin_client, anyone, skill):
    page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/do/recall/").content.decode()
    assert "Its page stays public" in page
    assert "Public: the entry's page shows it, and so do the advisories" in page
    SkillFactory(slug="log-search")

    for successor, error in (
        ("none", "No published skill is called none."),
        ("log-triage", "log-triage cannot replace itself."),
    ):
        refused = take_action(admin_client, "recall", skill, reason="Bad.", successor=successor)
        assert error in refused.content.decode()
    take_action(admin_client, "recall", skill, reason="Bad.", successor="log-search")

    page = anyone.get("/skills/log-triage")
    assert page.status_code == 410
    assert 'href="/skills/log-search"' in page.content.decode()


@pytest.mark.contract("18.5")
def test_a_withdrawn_entry_has_an_advisory_without_a_reason(admin_client, client, anyone, skill):
    page = take_action(admin_client, "withdraw", skill).content.decode()

    assert "Withdrawn: " in page
    assert anyone.get("/api/v1/skills/log-triage").status_code == 404
    assert [(row["slug"], row["reason"]) for row in advisories(client)] == [("log-triage", "")]


def test_recalling_an_entry_needs_a_reason(admin_client, client, skill):
    response = take_action(admin_client, "recall", skill, reason=" ")

    assert "This field is required." in response.content.decode()
    skill.refresh_from_db()
    assert skill.status == "published"
    assert advisories(client) == []


def test_a_withdrawn_entry_can_be_recalled_but_not_the_reverse(admin_client, client, skill):
    for action, reason in (("withdraw", ""), ("recall", "It deletes logs."), ("withdraw", "")):
        offered = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/change/").content.decode()
        page = take_action(admin_client, action, skill, reason=reason).content.decode()
        assert (f"/do/{action}/" in offered) == ("Nothing to withdraw" not in page)

    assert "Nothing to withdraw: all of these are already withdrawn." in page
    assert [row["reason"] for row in advisories(client)] == ["It deletes logs."]
    logged = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/history/").content.decode()
    assert "<b>Withdrawn.</b>" in logged
    assert "<b>Recalled: It deletes logs.</b>" in logged


def test_recalling_an_entry_again_keeps_the_first_reason(admin_client, client, skill):
    take_action(admin_client, "recall", skill, reason="It deletes logs.")

    page = take_action(admin_client, "recall", skill, reason="Another.")

    assert told(page) == [
        "Nothing to recall: choose entries that were published and are not recalled yet."
    ]
    assert [row["reason"] for row in advisories(client)] == ["It deletes logs."]


@pytest.mark.contract("18.5")
def test_publishing_again_ends_the_recall(admin_client, client, skill):
    take_action(admin_client, "recall", skill, reason="It deletes logs.")
    take_action(admin_client, "publish", skill)

    assert advisories(client) == []
    skill.refresh_from_db()
    assert (skill.withdrawn_at, skill.withdrawal_reason) == (None, "")


@pytest.mark.contract("18.5")
def test_moving_back_to_draft_does_not_end_a_recall(admin_client, client, skill):
    take_action(admin_client, "recall", skill, reason="It deletes logs.")

    response = take_action(admin_client, "redraft", skill)

    assert told(response) == [
        "Nothing to move back: all of these are drafts or recalled. Publishing ends a recall."
    ]
    assert [row["reason"] for row in advisories(client)] == ["It deletes logs."]
    assert "Back to draft" not in admin_client.get(change_page(skill)).content.decode()


@pytest.mark.contract("18.5")
def test_an_import_does_not_end_a_recall(admin_client, client, skill, tmp_path):
    folder = tmp_path / "log-triage"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: log-triage\ndescription: New.\n---\nDo it.\n")
    type(skill).objects.update(source=str(folder / "SKILL.md"))
    take_action(admin_client, "recall", skill, reason="It deletes logs.")

    call_command("import_skills", tmp_path)

    skill.refresh_from_db()
    assert (skill.status, skill.description) == ("withdrawn", "New.")
    assert len(advisories(client)) == 1


def test_a_reason_is_bounded(admin_client, skill):
    response = take_action(admin_client, "recall", skill, reason="x" * 1001)

    assert "at most 1000 characters" in response.content.decode()
    skill.refresh_from_db()
    assert skill.status == "published"


def test_the_page_of_what_is_recalled_shows_who_holds_it_still(
    admin_client, client, client_of, skill
):
    leaver = AgentFactory(handle="leaver")
    SkillInstallFactory(agent=leaver, skill=skill)
    page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/change/").content.decode()
    assert "Held by 2 agents" in page

    take_action(admin_client, "recall", skill, reason="It deletes logs.")
    client_of(leaver).post("/api/v1/agents/me/skills/uninstall", {"slug": "log-triage"})

    page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/change/").content.decode()
    assert "Still held by 1 agent<" in page
    assert "caller" in page
    assert "leaver" not in page
    [link] = set(re.findall(r'"(/admin/installs/skillinstall/\?[^"]+)"', page))
    listed = admin_client.get(link.replace("&amp;", "&")).content.decode()
    assert "caller" in listed
    assert "leaver" not in listed


def test_a_draft_that_was_never_published_cannot_be_recalled(admin_client, anyone):
    draft = SkillFactory(slug="draft", status="draft")

    page = admin_client.get(f"/admin/catalogue/skill/{draft.pk}/change/").content.decode()

    assert "/do/publish/" in page
    assert "/do/recall/" not in page
    url = f"/admin/catalogue/skill/{draft.pk}/do/recall/"
    fields = {"confirmed": "yes", "reason": "It deletes logs."}
    for page in (
        take_action(admin_client, "recall", draft, reason="It deletes logs."),
        admin_client.post(url, fields, follow=True),
    ):
        assert told(page) == [
            "Nothing to recall: choose entries that were published and are not recalled yet."
        ]
    assert anyone.get("/skills/draft").status_code == 404


def test_a_recall_of_several_leaves_out_a_draft_that_was_never_published(admin_client, skill):
    draft = SkillFactory(slug="draft", status="draft")

    page = take_action(admin_client, "recall", skill, draft, reason="They delete logs.")

    assert told(page) == ["Recalled: log-triage."]
    draft.refresh_from_db()
    assert draft.status == "draft"
