"""Staff read the findings of what they publish, wherever they write it"""

import pytest
from django.contrib.admin.models import LogEntry

from catalogue.admin.findings import READ_FIRST
from catalogue.models import Persona, Skill
from tests.admin.actions import send, take_action, told
from tests.admin.rows import change_page
from tests.browser import untouched_form
from tests.factories import PersonaFactory, SkillFactory

KEY = "AKIA" + "ABCDEFGHIJKLMNOP"
SECRET = "secret: {}, line {}: AWS access key, AKIA…"
ABOUT = {"title": "Tables", "description": "Reads tables.", "license": "MIT"}
SKILL_MD = "---\nname: {}\ndescription: Reads tables.\n---\n\nRead tables.\n"
ADD = "/admin/catalogue/{}/add/"

PUBLISHED = "Published: pdf-tables (version 1, no agent gets it yet)."


def skill(slug="pdf-tables", text="", **fields):
    return SkillFactory(slug=slug, content=SKILL_MD.format(slug) + text, **ABOUT | fields)


def post(admin_client, url, **fields):
    return send(admin_client, url, untouched_form(admin_client.get(url)) | fields)


def logged():
    """The newest message of the log."""
    return LogEntry.objects.first().get_change_message()


def findings(form):
    return [str(finding) for finding in form.shown_findings]


def brought(page):
    """The findings in the one message about a save."""
    [message] = told(page)
    return message.partition(" Findings: ")[2]


def asked(page):
    """The form of a page that asks for a tick."""
    has_admin_form = "adminform" in page.context
    form = page.context["adminform"].form if has_admin_form else page.context["form"]
    assert form.non_field_errors() == [READ_FIRST]
    assert f'name="accepted" value="{form.answer}"' in page.content.decode()
    return form


# The form of an entry


@pytest.mark.contract("28.12")
@pytest.mark.parametrize("kind", ["skill", "persona"])
def test_save_and_publish_asks_about_what_it_finds(admin_client, anyone, kind):
    name = "SKILL.md" if kind == "skill" else "pdf-tables.md"
    content = f"{SKILL_MD.format('pdf-tables') if kind == 'skill' else ''}{KEY}\n"
    fields = ABOUT | {"slug": "pdf-tables", "content": content, "_publish": ""}

    form = asked(post(admin_client, ADD.format(kind), **fields))

    [line] = findings(form)
    assert line == SECRET.format(name, content.count("\n"))
    model = Skill if kind == "skill" else Persona
    assert not model.objects.exists()

    page = post(admin_client, ADD.format(kind), **fields, accepted=form.answer)
    assert told(page) == [PUBLISHED, f"Findings: {line}."]
    assert anyone.get(f"/api/v1/{kind}s/pdf-tables").json()["content"] == content
    assert logged() == "Accepted findings: secret."


@pytest.mark.contract("28.12")
def test_a_tick_is_for_what_the_page_showed(admin_client):
    entry = skill()
    form = asked(post(admin_client, change_page(entry), content=f"{entry.content}{KEY}"))

    content = f"{entry.content}Do\u200b it.\n{KEY}"
    form = asked(post(admin_client, change_page(entry), content=content, accepted=form.answer))

    assert findings(form) == [
        "hidden-text: SKILL.md, line 7: U+200B ZERO WIDTH SPACE",
        SECRET.format("SKILL.md", 8),
    ]
    entry.refresh_from_db()
    assert KEY not in entry.content


@pytest.mark.contract("28.12")
def test_an_edit_is_asked_about_what_it_brings(admin_client):
    entry = skill(text=f"{KEY}\n", files={"a.txt": KEY.encode()})
    url = change_page(entry)

    assert brought(post(admin_client, url, title="Other", content=f"{entry.content}More.")) == ""

    asked(post(admin_client, url, content=f"{entry.content}{KEY}"))
    asked(post(admin_client, url, category=f"a\u200bb {KEY}"))


@pytest.mark.contract("28.12")
def test_a_draft_is_saved_and_its_findings_are_told(admin_client):
    entry = skill(status="draft")
    content = f"{entry.content}[a](gone.md)\n{KEY}"

    page = post(admin_client, change_page(entry), content=content, license="")

    dead = 'dead-link: SKILL.md, line 7: "gone.md" is not among the files'
    secret, unlicensed = SECRET.format("SKILL.md", 8), "license: SKILL.md: it names none"
    assert brought(page) == f"{secret}; {unlicensed}; {dead}."
    entry.refresh_from_db()
    assert entry.findings == ["dead-link", "license", "secret"]


@pytest.mark.contract("28.10", "28.12")
def test_a_new_slug_that_looks_like_a_published_one(admin_client):
    other, entry = skill("tables"), skill("forms")
    found = "look-alike: SKILL.md: tab1es is easily taken for tables."
    fields = {"slug": "tab1es", "content": SKILL_MD.format("tab1es")}

    assert brought(post(admin_client, change_page(entry), **fields)) == found
    assert brought(post(admin_client, change_page(entry), title="Other")) == ""
    fields = {"slug": "table", "content": SKILL_MD.format("table")}
    assert brought(post(admin_client, change_page(other), **fields)) == (
        "look-alike: SKILL.md: table is easily taken for tab1es."
    )


@pytest.mark.contract("28.12")
def test_a_persona_is_inspected_with_the_skills_that_it_would_bundle(admin_client):
    entry, draft = PersonaFactory(slug="one", **ABOUT), SkillFactory(slug="two", status="draft")

    page = post(admin_client, change_page(entry), skills=[draft.pk])

    assert brought(page) == "unknown-skill: one.md: no published skill is called two."


# Actions


@pytest.mark.contract("28.12")
def test_publishing_shows_every_finding_and_asks(admin_client):
    one = skill("one", status="draft", files={"scripts/a.txt": KEY.encode()})
    two = skill("two", status="draft", license="")

    form = asked(take_action(admin_client, "publish", one, two))

    assert findings(form) == [
        SECRET.format("one: scripts/a.txt", 1),
        "license: two: SKILL.md: it names none",
        "script: one: scripts/a.txt: agents may run it",
    ]
    assert not Skill.objects.published().exists()
    page = take_action(admin_client, "publish", one, two, accepted=form.answer)
    number = "(version 1, no agent gets it yet)"
    assert told(page) == [f"Published: one {number}, two {number}."]
    assert logged() == "Published. Accepted findings: secret."


@pytest.mark.contract("28.12")
def test_what_an_import_would_allow_is_not_asked(admin_client):
    entry = skill(status="draft", license="", files={"scripts/a.txt": b"ls"})

    page = admin_client.get(f"{change_page(entry).removesuffix('change/')}do/publish/")

    assert findings(page.context["form"]) == [
        "license: SKILL.md: it names none",
        "script: scripts/a.txt: agents may run it",
    ]
    text = page.content.decode()
    assert "<b>script</b> <span>scripts/a.txt: agents may run it</span>" in text
    assert 'name="accepted"' not in text
    assert told(take_action(admin_client, "publish", entry)) == [PUBLISHED]


@pytest.mark.contract("28.12")
@pytest.mark.parametrize(
    ("action", "fields", "message"),
    [
        ("recall", {"reason": f"It has {KEY}."}, f"Recalled: It has {KEY}."),
        ("deprecate", {"message": "Do\u200b not."}, "Deprecated: Do\u200b not."),
        ("edit_labels", {"add_tags": f"pdf,{KEY}"}, "Edited: add tags."),
        ("edit_labels", {"category": "a\u200bb"}, "Edited: category."),
    ],
)
def test_a_text_that_an_action_writes_is_asked_about(admin_client, action, fields, message):
    entry = skill()

    form = asked(take_action(admin_client, action, entry, **fields))

    assert Skill.objects.get().updated_at == entry.updated_at
    take_action(admin_client, action, entry, **fields, accepted=form.answer)
    [code] = Skill.objects.get().findings
    assert logged() == f"{message} Accepted findings: {code}."


@pytest.mark.contract("28.12")
def test_a_license_that_is_not_accepted_is_told(admin_client, settings):
    settings.LICENSES = ("MIT",)
    entry = skill()

    page = take_action(admin_client, "edit_labels", entry, license="Ours")

    assert told(page) == [
        "Edited: pdf-tables.",
        "license: license: Ours is not accepted here",
    ]


@pytest.mark.contract("28.12")
def test_restoring_a_version_shows_its_findings(admin_client):
    entry = skill(text=KEY)
    old, entry.content = entry.content, SKILL_MD.format("pdf-tables")
    entry.save()
    url = f"/admin/catalogue/skill/{entry.pk}/versions/1/restore/"

    form = admin_client.get(url).context["form"]
    assert findings(form) == [SECRET.format("SKILL.md", 7)]
    asked(admin_client.post(url, {"confirmed": "yes"}))
    admin_client.post(url, {"confirmed": "yes", "accepted": form.answer})

    assert Skill.objects.get().content == old
    assert logged() == "Restored version 1. Accepted findings: secret."


@pytest.mark.contract("28.12")
def test_reverting_to_a_state_shows_its_findings(admin_client):
    entry = skill(status="draft")
    post(admin_client, change_page(entry), category=KEY)
    post(admin_client, change_page(entry), category="data")
    snapshot = next(row for row in entry.history.all() if row.category == KEY)
    url = f"{change_page(entry).removesuffix('change/')}history/{snapshot.pk}/"

    form = admin_client.get(url).context["form"]
    assert findings(form) == [SECRET.format("category", 1)]
    asked(admin_client.post(url, {"confirmed": "yes"}))
    admin_client.post(url, {"confirmed": "yes", "accepted": form.answer})

    assert Skill.objects.get().category == KEY
    assert logged().startswith("Restored the state of ")
    assert logged().endswith(". Accepted findings: secret.")


@pytest.mark.contract("28.12")
def test_writing_fields_into_the_frontmatter_shows_what_they_bring(admin_client):
    entry = skill(text=KEY)
    Skill.objects.update(description=f"Reads.\n\n{KEY}")

    form = asked(take_action(admin_client, "write_frontmatter", entry))

    assert findings(form) == [SECRET.format("SKILL.md", line) for line in (3, 11)]
    take_action(admin_client, "write_frontmatter", entry, accepted=form.answer)
    assert Skill.objects.get().content.count(KEY) == 2
    assert logged() == "Wrote the fields into the frontmatter. Accepted findings: secret."
