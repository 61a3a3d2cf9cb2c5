"""Staff import files: a preview shows what would change, and writes nothing until they confirm"""

import re

import pytest

from catalogue.models import Skill
from importing.models import ImportRun
from tests.admin.actions import told
from tests.admin.files import PERSONAS, SKILL_MD, SKILLS, confirm, outcomes, upload, zip_of
from tests.admin.rows import change_page
from tests.factories import SkillFactory, SkillInstallFactory


def test_a_preview_says_what_would_happen_and_writes_nothing(admin_client):
    SkillFactory(slug="two", title="Two", content="Old", description="Old.")
    before = list(Skill.objects.values())

    page = upload(
        admin_client,
        zip_of(
            {
                "one/SKILL.md": SKILL_MD.format("one"),
                "two/SKILL.md": SKILL_MD.format("two"),
                "three/SKILL.md": "No frontmatter.",
            }
        ),
    )

    assert outcomes(page) == {
        "created": ["one/SKILL.md"],
        "updated": ["two/SKILL.md"],
        "refused": ["three/SKILL.md"],
    }
    text = page.content.decode()
    assert "no frontmatter" in text
    assert '<span class="del">Old.</span><span class="add">Does two.</span>' in text
    assert list(Skill.objects.values()) == before
    assert Skill.history.count() == 0


def test_a_confirmed_import_is_done_and_lists_what_it_refused(admin_client, anyone):
    SkillFactory(slug="two", content="Old")
    contents = {name: SKILL_MD.format(name) for name in ("one", "two")} | {"three": "No."}
    upload(admin_client, zip_of({f"{name}/SKILL.md": text for name, text in contents.items()}))

    run = confirm(admin_client)

    assert (run.created, run.updated, run.unchanged, run.refused) == (1, 1, 0, 1)
    (refused,) = run.refusals
    assert refused[0] == "three/SKILL.md"
    assert run.data is None
    assert anyone.get("/api/v1/skills/one").json()["description"] == "Does one."
    assert anyone.get("/api/v1/skills/two").json()["content"] == SKILL_MD.format("two")
    assert "Imports with refused files this week" in admin_client.get("/admin/").content.decode()


def test_the_result_links_what_was_made_and_changed(admin_client):
    changed = SkillFactory(slug="two", content="Old")
    files = {f"{name}/SKILL.md": SKILL_MD.format(name) for name in ("one", "two")}
    upload(admin_client, zip_of(files))

    run = confirm(admin_client)

    made = Skill.objects.get(slug="one")
    assert run.entries == [[made.pk, "one", "created"], [changed.pk, "two", "updated"]]
    page = admin_client.get(change_page(run)).content.decode()
    assert f'<a class="underline" href="{change_page(made)}">one</a> (created, version 1)' in page
    assert (
        f'<a class="underline" href="{change_page(changed)}">two</a> (updated, version 2)' in page
    )


def test_an_import_is_in_the_history(admin_client):
    SkillFactory(slug="two", content="Old")
    upload(admin_client, SKILL_MD.format("two"), name="SKILL.md")
    confirm(admin_client)

    after, before = Skill.objects.get().history.all()
    assert (before.content, after.content) == ("Old", SKILL_MD.format("two"))
    assert after.history_user.username == "clerk-0"


def test_a_single_file_of_either_kind_is_enough(admin_client, anyone):
    upload(admin_client, SKILL_MD.format("one"), name="SKILL.md")
    confirm(admin_client)
    upload(admin_client, SKILL_MD.format("scribe"), name="scribe.md", to=PERSONAS)
    confirm(admin_client, PERSONAS)

    assert anyone.get("/api/v1/skills/one").status_code == 200
    assert anyone.get("/api/v1/personas/scribe").json()["content"] == "Do it.\n"
    assert Skill.objects.get().source == "admin:one/SKILL.md"


@pytest.mark.parametrize("name", ["readme", "changelog", "skill"])
def test_a_single_persona_may_have_any_name(admin_client, anyone, name):
    page = upload(admin_client, SKILL_MD.format(name), name="a.md", to=PERSONAS)
    assert outcomes(page) == {"created": [f"{name}.md"]}
    confirm(admin_client, PERSONAS)

    assert anyone.get(f"/api/v1/personas/{name}").status_code == 200


def test_the_same_file_again_changes_nothing(admin_client):
    for _ in range(2):
        page = upload(admin_client, SKILL_MD.format("one"), name="SKILL.md")
        confirm(admin_client)

    assert list(outcomes(page)) == ["unchanged"]
    assert Skill.objects.count() == 1


@pytest.mark.contract("23.4")
def test_an_upload_finds_an_entry_by_its_name_and_then_by_its_path(admin_client):
    # A former rule made this slug of the name in the file.
    SkillFactory(slug="c-expert", source="admin:folder/SKILL.md", content="Old")
    files = {"folder/SKILL.md": SKILL_MD.format("C++ Expert")}

    upload(admin_client, zip_of(files))
    confirm(admin_client)

    [expert] = Skill.objects.all()
    assert (expert.slug, expert.title) == ("c-expert", "C++ Expert")
    SkillFactory(slug="c-plus-plus-expert", source="ours:c/SKILL.md", content="Old")
    upload(admin_client, zip_of({"folder/SKILL.md": SKILL_MD.format("C++ Expert") + "More."}))
    confirm(admin_client)

    assert Skill.objects.get(slug="c-plus-plus-expert").content.endswith("More.")
    assert Skill.objects.get(slug="c-expert").content == expert.content


@pytest.mark.contract("23.12")
def test_agents_get_nothing_that_nobody_ticks(admin_client, anyone):
    for slug in ("four", "three"):
        SkillFactory(slug=slug, content="Old", status="draft" if slug == "three" else "published")
    SkillInstallFactory(skill=Skill.objects.get(slug="four"))
    files = {
        f"{slug}/SKILL.md": SKILL_MD.format(slug)
        for slug in ("five", "four", "one", "three", "two")
    }
    SkillFactory(slug="five", content="Old")

    text = upload(admin_client, zip_of(files)).content.decode()

    ticks = re.findall(r'name="published" value="([^"]*)"> ([^<]*)</label>', text)
    assert ticks == [
        ("five/SKILL.md", "Publish version 2 of five (no agent gets it yet)"),
        ("four/SKILL.md", "Publish version 2 of four (1 agent gets it)"),
        ("three/SKILL.md", "Publish three"),
        ("one/SKILL.md", "Publish one"),
        ("two/SKILL.md", "Publish two"),
    ]
    assert "Does one." in text
    page = admin_client.post(
        f"{SKILLS}import/{ImportRun.objects.get().pk}/",
        {"published": ["two/SKILL.md", "five/SKILL.md"]},
        follow=True,
    )
    [message] = told(page)
    assert message == (
        "Imported skills.zip: 2 created, 2 updated, 1 unchanged, 0 refused. five (updated, version "
        "2), one (created, draft), three (updated, draft), two (created, version 1) Left as "
        "published, because you did not tick them: four."
    )
    assert {skill["slug"] for skill in anyone.get("/api/v1/skills").json()["results"]} == {
        *("five", "four", "two")
    }
    assert anyone.get("/api/v1/skills/four").json()["content"] == "Old"
    assert Skill.objects.get(slug="three").content == SKILL_MD.format("three")


@pytest.mark.contract("23.12")
def test_all_are_published_by_choice(admin_client):
    page = upload(admin_client, SKILL_MD.format("one"), name="SKILL.md")
    assert 'name="all" value="yes">Import and publish all</button>' in page.content.decode()

    run = confirm(admin_client, all="yes")

    assert (run.draft, Skill.objects.get().status) == (False, "published")


def test_a_discarded_preview_leaves_nothing(admin_client):
    upload(admin_client, SKILL_MD.format("one"), name="SKILL.md")

    admin_client.post(f"{SKILLS}import/{ImportRun.objects.get().pk}/", {"cancel": "yes"})

    assert not ImportRun.objects.exists()
    assert not Skill.objects.exists()


def test_a_finished_import_is_not_done_again(admin_client):
    upload(admin_client, SKILL_MD.format("one"), name="SKILL.md")
    run = confirm(admin_client)

    assert admin_client.get(f"{SKILLS}import/{run.pk}/").status_code == 404
    assert admin_client.post(f"{SKILLS}import/{run.pk}/").status_code == 404


def test_two_files_of_one_slug_are_not_both_taken(admin_client):
    contents = {"a/SKILL.md": SKILL_MD.format("one"), "b/SKILL.md": SKILL_MD.format("one")}

    page = upload(admin_client, zip_of(contents))

    assert outcomes(page) == {"created": ["a/SKILL.md"], "refused": ["b/SKILL.md"]}


def test_a_zip_of_both_kinds_gives_each_admin_its_own(admin_client):
    both = zip_of({"one/SKILL.md": SKILL_MD.format("one"), "scribe.md": SKILL_MD.format("scribe")})

    assert outcomes(upload(admin_client, both)) == {"created": ["one/SKILL.md"]}
    assert outcomes(upload(admin_client, both, to=PERSONAS)) == {"created": ["scribe.md"]}


def test_a_single_file_may_have_any_name(admin_client):
    page = upload(admin_client, SKILL_MD.format("one"), name="SKILL (1).md")

    assert outcomes(page) == {"created": ["SKILL.md"]}
