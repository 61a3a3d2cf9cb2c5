"""The page of an entry tells staff its state, version and agents, before a save and after it"""

import re

import pytest

from catalogue.models import Skill
from tests.admin.actions import send, take_action, told
from tests.admin.edits import opened
from tests.admin.files import SKILL_MD
from tests.admin.rows import change_page
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, SkillInstallFactory

CONTENT = SKILL_MD.format("pdf")


@pytest.fixture
def skill(db):
    skill = SkillFactory(slug="pdf", content=CONTENT, description="Does pdf.", license="MIT")
    for agent in AgentFactory.create_batch(3):
        SkillInstallFactory(agent=agent, skill=skill)
    skill.agent_installs.filter(agent=agent).update(pinned=skill.versions.get())
    return skill


def page_of(client, entry):
    return client.get(change_page(entry)).content.decode()


def buttons(client, entry):
    """The main buttons at the top of a page, and those of its menu."""
    page = page_of(client, entry)
    top = page[page.index('aria-label="State"') : page.index("</section>")]
    main, _, menu = top.partition("<details")
    links = r"<a [^>]*href=[^>]*>([^<]*)</a>"
    return re.findall(links, main.partition('"staff-buttons"')[2]), re.findall(links, menu)


def save(client, entry, **fields):
    return told(send(client, change_page(entry), opened(client, entry) | fields))


@pytest.mark.contract("25.17")
def test_a_save_says_which_version_it_makes_and_who_gets_it(admin_client, skill):
    page = page_of(admin_client, skill)

    assert "<b>Version 1</b>. 3 agents have it, 1 of them a pinned version." in page
    assert ">Save: a changed text becomes version 2 (2 agents get it)</span>" in page
    assert 'data-publish="Publish version 2 (2 agents get it)"' in page
    assert 'data-labels="Save labels" data-fields="content files slug"' in page
    assert save(admin_client, skill, content=f"{CONTENT}More.\n") == [
        "Published version 2 of pdf: 2 agents get it."
    ]


@pytest.mark.contract("25.17")
def test_labels_make_no_version(admin_client, skill):
    assert save(admin_client, skill, tags="pdf", title="PDF") == [
        "Saved pdf. Its text is the same, so it stays version 1."
    ]
    assert save(admin_client, skill) == ["Nothing has changed: pdf stays version 1."]


def test_fields_that_agents_read_in_the_file_are_named(admin_client):
    skill = SkillFactory(content="Without frontmatter.")
    assert 'data-fields="content files slug description"' in page_of(admin_client, skill)

    skill.title = "Another"
    skill.save()

    assert skill.number == 1
    persona = PersonaFactory(frontmatter="---\nname: x\n---\n")
    page = page_of(admin_client, persona)
    assert 'data-labels="Save labels, price and skills" data-fields="content frontmatter"' in page


def test_a_draft_has_one_message(admin_client, skill):
    skill.redraft()

    [message] = save(admin_client, skill, license="")

    assert message == (
        "pdf is a draft: agents cannot find it until you publish it. Publish it now. Findings: "
        "license: SKILL.md: it names none."
    )
    assert page_of(admin_client, skill).count("agents cannot find it until you publish it") == 1
    published = take_action(admin_client, "publish", skill, accepted="")
    assert told(published) == ["Published: pdf (version 1, 2 agents get it)."]


def test_a_recalled_one_shows_its_reason_first_and_does_not_offer_to_publish(admin_client, skill):
    take_action(admin_client, "recall", skill, reason="It deletes files.")

    page = page_of(admin_client, skill)

    assert page.index("It deletes files.") < page.index('id="id_title"')
    main, menu = buttons(admin_client, skill)
    assert main == ["Versions", "As an agent sees it"]
    assert "Publish" in menu
    assert save(admin_client, skill, tags="x") == [
        "Saved pdf, which stays recalled: agents cannot install it."
    ]


@pytest.mark.parametrize(
    ("act", "main"),
    [
        (Skill.redraft, ["Publish", "As an agent sees it"]),
        (Skill.mark_as_checked, ["Versions", "Recall"]),
        (Skill.end_deprecation, ["Mark as checked", "Versions", "Recall"]),
        (Skill.withdraw, ["Publish", "Versions"]),
    ],
)
def test_the_main_actions_depend_on_the_state(admin_client, skill, act, main):
    act(skill)

    shown, menu = buttons(admin_client, skill)

    assert shown == main
    assert not {*main} & {*menu}
    assert "Add a note" in menu


@pytest.mark.contract("25.17")
def test_restoring_says_who_gets_the_text(admin_client, skill):
    skill.content = f"{CONTENT}More.\n"
    skill.save()
    restore = change_page(skill).replace("change/", "versions/1/restore/")

    assert "becomes version 3: 2 agents get it" in admin_client.get(restore).content.decode()
    page = admin_client.post(restore, {"confirmed": "yes"}, follow=True)
    assert told(page) == ["Restored version 1 as version 3: 2 agents get it."]
    skill.redraft()
    restore = change_page(skill).replace("change/", "versions/2/restore/")
    text = "the skill is draft: no agent gets it until you publish it"
    assert text in admin_client.get(restore).content.decode()


def test_a_recall_says_what_those_who_have_it_keep(admin_client, skill):
    for address in ("do/recall/", "versions/1/recall/"):
        page = admin_client.get(change_page(skill).replace("change/", address)).content.decode()
        assert "keep the copy that they downloaded" in page
    assert "3 agents" in page


def test_mistakes_are_listed_above_the_form_with_links(admin_client, skill):
    form = opened(admin_client, skill) | {"slug": "No Slug", "content": "x"}

    page = admin_client.post(change_page(skill), form).content.decode()

    alert = page[page.index("Nothing was saved. Correct this:") : page.index('id="id_title"')]
    assert re.findall(r'<a href="(#[^"]*)">([^<]*)</a>: ([^<]{8})', alert) == [
        ("#id_slug", "Slug", "Use a-z,"),
        ("#id_content", "Content", "Start wi"),
    ]


def test_fields_that_people_ask_about_have_help(admin_client):
    page = admin_client.get("/admin/catalogue/skill/add/").content.decode()

    for text in (
        "Agents install the entry by this name",
        "Separate them by commas",
        "Name the runtimes it needs",
    ):
        assert text in page
    assert "Versions are counted beside it" in page


def test_versions_and_history_say_how_they_differ(admin_client, skill):
    save(admin_client, skill, tags="pdf")
    for name, other in (("versions", "history"), ("history", "versions")):
        page = admin_client.get(change_page(skill).replace("change", name)).content.decode()
        assert "hat staff did" in page
        assert f'href="{change_page(skill).replace("change", other)}">{other}</a>' in page
