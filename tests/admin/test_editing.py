"""Staff edit skills and personas: what a save changes, and what it leaves alone"""

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models import F

from catalogue.models import Skill
from tests.admin.rows import change_page
from tests.browser import untouched_form
from tests.factories import ABOUT, ABOUT_SKILL, AgentFactory, PersonaFactory, SkillFactory, review

SKILL_MD = (
    "---\nname: pdf-tables\ndescription: Reads tables.\n---\n\n"
    "# Tables\n\n    indented\n\nThe end.\n"
)
KINDS = [
    pytest.param(SkillFactory, "skill", id="skill"),
    pytest.param(PersonaFactory, "persona", id="persona"),
]


def opened_form(admin_client, entry):
    page = admin_client.get(change_page(entry))
    assert page.status_code == 200
    return untouched_form(page)


def save(admin_client, entry, form):
    response = admin_client.post(change_page(entry), form)
    assert response.status_code == 302, response.context["errors"]
    entry.refresh_from_db()


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_an_edited_field_is_saved_and_served(admin_client, anyone, make, kind):
    entry = make(slug="pdf-tables", content=SKILL_MD)

    save(
        admin_client,
        entry,
        opened_form(admin_client, entry) | {"title": "Tables", "tags": "pdf,tables"},
    )

    served = anyone.get(f"/api/v1/{kind}s/pdf-tables").json()
    assert (served["title"], served["tags"]) == ("Tables", ["pdf", "tables"])


@pytest.mark.parametrize(
    ("make", "about", "kind"),
    [
        pytest.param(SkillFactory, ABOUT_SKILL, "skill", id="skill"),
        pytest.param(PersonaFactory, ABOUT, "persona", id="persona"),
    ],
)
def test_every_field_about_an_entry_can_be_edited(admin_client, anyone, make, about, kind):
    entry = make(slug="pdf-tables")
    posted = {
        name: ",".join(value) if isinstance(value, list) else value for name, value in about.items()
    }

    save(admin_client, entry, opened_form(admin_client, entry) | posted)

    served = anyone.get(f"/api/v1/{kind}s/pdf-tables").json()
    assert {name: served[name] for name in about} == about


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_saving_moves_updated_at_but_not_created_at(admin_client, make, kind):
    entry = make(content=SKILL_MD)
    created_at, updated_at = entry.created_at, entry.updated_at

    save(admin_client, entry, opened_form(admin_client, entry) | {"title": "Tables"})

    assert entry.created_at == created_at
    assert entry.updated_at > updated_at


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_counters_are_shown_but_are_no_fields(admin_client, make, kind):
    entry = make(**{"downloads" if kind == "skill" else "installs": 4711})

    form = opened_form(admin_client, entry)

    assert "4711" in admin_client.get(change_page(entry)).content.decode()
    assert not {"downloads", "installs", "rating_avg", "rating_count", "rating_sum"} & {*form}


def test_a_forged_post_does_not_move_the_downloads_of_a_skill(admin_client):
    skill = SkillFactory(downloads=7)
    public_id = skill.public_id

    form = opened_form(admin_client, skill) | {
        "downloads": 999,
        "public_id": "forged",
        "title": "New",
    }
    save(admin_client, skill, form)

    assert (skill.title, skill.downloads, skill.public_id) == ("New", 7, public_id)


def test_a_forged_post_does_not_move_the_counters_of_a_persona(admin_client):
    persona = PersonaFactory(installs=3)
    review(AgentFactory(), persona, 4)
    counters = {"installs": 999, "rating_avg": 1, "rating_count": 999, "rating_sum": 999}

    save(admin_client, persona, opened_form(admin_client, persona) | counters | {"title": "New"})

    assert persona.title == "New"
    assert (persona.installs, persona.rating_avg, persona.rating_count) == (3, 4, 1)


def test_a_forged_post_to_the_add_form_does_not_set_counters(admin_client):
    form = untouched_form(admin_client.get("/admin/catalogue/skill/add/"))
    new = {"slug": "pdf-tables", "title": "Tables", "content": SKILL_MD, "downloads": 999}

    assert admin_client.post("/admin/catalogue/skill/add/", form | new).status_code == 302
    assert Skill.objects.get(slug="pdf-tables").downloads == 0


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_a_save_does_not_undo_a_counter_that_moved_since_the_form_was_opened(
    admin_client, make, kind
):
    entry = make(content=SKILL_MD)
    counter = "downloads" if kind == "skill" else "installs"
    form = opened_form(admin_client, entry)
    type(entry).objects.update(**{counter: F(counter) + 5})

    save(admin_client, entry, form | {"title": "New"})

    assert entry.title == "New"
    assert getattr(entry, counter) == 5


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(SKILL_MD, id="imported"),
        pytest.param(SKILL_MD.rstrip("\n"), id="no newline at the end"),
        pytest.param("\n" + SKILL_MD + "\n\n", id="empty lines around"),
        pytest.param("    code first\n\ttabs\n\n", id="indented"),
    ],
)
def test_a_content_that_staff_left_alone_stays_as_it_is(admin_client, content):
    skill = SkillFactory(content=content, description="One line.\nAnother.")

    save(admin_client, skill, opened_form(admin_client, skill) | {"title": "New"})

    assert (skill.title, skill.content) == ("New", content)
    assert skill.description == "One line.\nAnother."


def test_a_content_that_staff_left_alone_does_not_undo_an_import(admin_client):
    skill = SkillFactory(content=SKILL_MD)
    form = opened_form(admin_client, skill)
    Skill.objects.update(content="The new version.\n")

    save(admin_client, skill, form | {"title": "New"})

    assert (skill.title, skill.content) == ("New", "The new version.\n")


def test_a_content_that_staff_left_alone_stays_so_after_a_mistake(admin_client):
    skill = SkillFactory(content=SKILL_MD)
    refused = admin_client.post(
        change_page(skill), opened_form(admin_client, skill) | {"slug": "No Slug"}
    )
    Skill.objects.update(content="The new version.\n")

    save(admin_client, skill, untouched_form(refused) | {"slug": skill.slug, "title": "New"})

    assert (skill.title, skill.content) == ("New", "The new version.\n")


def test_a_text_that_staff_left_alone_is_not_logged_as_changed(admin_client):
    skill = SkillFactory(content=SKILL_MD, description="One line.\nAnother.")

    save(admin_client, skill, opened_form(admin_client, skill) | {"title": "New"})

    assert "Changed Title." in str(LogEntry.objects.get())


@pytest.mark.parametrize(("make", "kind"), KINDS)
def test_saving_an_untouched_form_changes_nothing_at_all(admin_client, anyone, make, kind):
    entry = make(slug="pdf-tables", content=SKILL_MD)
    before = anyone.get(f"/api/v1/{kind}s/pdf-tables")

    save(admin_client, entry, opened_form(admin_client, entry))

    after = anyone.get(f"/api/v1/{kind}s/pdf-tables")
    assert after.json() == before.json()
    assert after.headers["ETag"] == before.headers["ETag"]


def test_an_edited_content_is_stored_to_the_letter_but_for_carriage_returns(admin_client):
    skill = SkillFactory(slug="pdf-tables", content="Old.")
    edited = SKILL_MD.replace("\n", "\r\n") + "    One\r\ntwo\rthree\r\n\r\n"

    save(admin_client, skill, opened_form(admin_client, skill) | {"content": edited})

    assert skill.content == SKILL_MD + "    One\ntwo\nthree\n\n"


def test_a_slug_that_no_agent_could_ask_for_is_refused(admin_client, subtests):
    skill = SkillFactory(slug="pdf-tables")
    form = opened_form(admin_client, skill)
    for slug in ("PDF-Tables", "pdf--tables", "-pdf", "pdf tables", "é", ""):
        with subtests.test(slug):
            response = admin_client.post(change_page(skill), form | {"slug": slug})

            assert response.status_code == 200
            assert "slug" in response.context["adminform"].form.errors
            skill.refresh_from_db()
            assert skill.slug == "pdf-tables"


def test_a_slug_that_is_taken_is_refused(admin_client):
    SkillFactory(slug="taken")
    skill = SkillFactory(slug="pdf-tables")

    response = admin_client.post(
        change_page(skill), opened_form(admin_client, skill) | {"slug": "taken"}
    )

    assert response.status_code == 200
    assert response.context["errors"]


def test_bundled_skills_are_chosen_in_the_form(admin_client, anyone):
    persona = PersonaFactory(slug="archivist", skills=[SkillFactory(slug="old")])
    new = SkillFactory(slug="new")

    save(admin_client, persona, opened_form(admin_client, persona) | {"skills": [new.pk]})

    assert anyone.get("/api/v1/personas/archivist").json()["skills"][0]["slug"] == "new"
