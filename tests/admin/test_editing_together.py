"""Two people edit the same row: nothing that either of them saves is lost"""

from types import SimpleNamespace

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from agents.models import Agent
from catalogue.models import Persona, Skill
from publishers.models import Publisher
from sources.models import Source
from tests.admin.diffs import without_marks
from tests.admin.edits import opened, opened_with_edits, refusal, save, saved
from tests.admin.test_lists import MAX_QUERIES
from tests.api.concurrency import during
from tests.browser import untouched_form
from tests.factories import AgentFactory, PersonaFactory, SkillFactory, SourceFactory, review
from tests.publishers.issuer import CI

SKILL_MD = "---\nname: pdf-tables\ndescription: Reads tables.\n---\n\n# Tables\n"
REFUSED = "Nothing was saved: this {} has changed since you opened it"
SUPERUSER = SimpleNamespace(user=User(is_superuser=True))
# A new admin with a form needs a row here.
ROWS = {
    Skill: lambda: SkillFactory(slug="pdf-tables", content=SKILL_MD, tags=["pdf"]),
    Persona: lambda: PersonaFactory(skills=[SkillFactory()], frontmatter="---\ntools: R\n---\n"),
    Agent: AgentFactory,
    Publisher: lambda: CI("https://ci.example").publisher(AgentFactory(), protected_only=True),
    User: lambda: User.objects.create(username="grace", email="grace@example.com"),
    Group: lambda: Group.objects.create(name="Translators"),
    Source: lambda: SourceFactory(folder="skills", token_variable="SOURCE_TOKEN_A"),
}
ADMINS = list(admin.site._registry.values())
EDITABLE = [
    pytest.param(model_admin.model, id=model_admin.opts.label)
    for model_admin in ADMINS
    if model_admin.has_change_permission(SUPERUSER)
]


@pytest.fixture
def tiers(rates):
    rates(install={"free": "1/h", "pro": "2/h", "team": "3/h"})


@pytest.fixture(autouse=True)
def hosts(settings):
    settings.SOURCE_HOSTS = ["git.example.com"]


def test_a_form_without_a_readable_record_of_what_it_showed_saves_what_is_the_same(ada):
    skill = SkillFactory()
    form = opened(ada, skill)

    for page_state in ("", "[]", "{}", '{"at": 1e17, "fields": {}}', '{"at": 0, "fields": 1}'):
        saved(ada, skill, form | {"page_state": page_state})


@pytest.mark.parametrize("model", EDITABLE)
def test_edits_of_what_somebody_else_has_changed_are_refused_at_first(ada, bob, tiers, model):
    row = ROWS[model]()
    SkillFactory.create_batch(2)
    form, edits = opened_with_edits(bob, row)
    theirs, mine = ({name: edit[who] for name, edit in edits.items()} for who in (0, 1))
    saved(ada, row, form | theirs)

    response = save(bob, row, form | mine)

    errors, page = refusal(response)
    assert errors == {name: ["This has changed since you opened the page."] for name in edits}
    assert REFUSED.format(model._meta.verbose_name) in page
    assert "<b>ada: Changed " in page
    assert theirs.items() <= opened(bob, row).items()
    again = untouched_form(response)
    assert mine.items() <= again.items()
    saved(bob, row, again)
    assert mine.items() <= opened(ada, row).items()


@pytest.mark.parametrize("model", EDITABLE)
def test_edits_of_different_fields_are_both_saved(ada, bob, tiers, model):
    row = ROWS[model]()
    SkillFactory.create_batch(2)
    form, edits = opened_with_edits(bob, row)
    edits = [(name, edit[0]) for name, edit in edits.items()]
    theirs, mine = dict(edits[::2]), dict(edits[1::2])
    saved(ada, row, form | theirs)

    saved(bob, row, form | mine)

    assert (theirs | mine).items() <= opened(ada, row).items()


def test_no_admin_has_rows_or_columns_that_are_edited_beside_its_form():
    """They would need the rule, too."""
    assert [
        model_admin for model_admin in ADMINS if model_admin.inlines or model_admin.list_editable
    ] == []


def test_both_may_make_the_same_edit(ada, bob):
    skill = SkillFactory()
    form = opened(bob, skill) | {"title": "New"}
    saved(ada, skill, form)

    saved(bob, skill, form | {"author": "bob"})

    skill.refresh_from_db()
    assert (skill.title, skill.author) == ("New", "bob")


def test_a_refusal_says_who_changed_what_and_what_another_save_replaces(ada, bob):
    persona = PersonaFactory(title="Archivist", price_cents=0)
    form = opened(bob, persona) | {"title": "The Librarian", "price_cents": "700"}
    theirs = {"title": "The Archivist", "price_cents": "500", "category": "writing"}
    saved(ada, persona, form | theirs)

    with CaptureQueriesContext(connection) as queries:
        response = save(bob, persona, form)

    page = without_marks(response)
    assert "<b>ada: Changed Title, Category and Price cents.</b>" in page
    assert '<span class="del">The Archivist</span><span class="add">The Librarian</span>' in page
    assert '<span class="del">500</span><span class="add">700</span>' in page
    assert 'role="alert"' in page
    assert "Correct this" not in page
    again = untouched_form(response)
    assert [again[name] for name in ("title", "price_cents", "category")] == [
        *("The Librarian", "700", "writing")
    ]
    # Those of the page, and those that post, lock and compare.
    assert len(queries) <= 2 * MAX_QUERIES


def test_a_change_that_is_not_logged_is_refused_too(bob):
    skill = SkillFactory(title="Old")
    form = opened(bob, skill) | {"title": "Bob's"}
    Skill.objects.update(title="Imported")

    _, page = refusal(save(bob, skill, form))

    assert "The log does not say who." in page
    assert '<span class="del">Imported</span>' in page


def test_a_refusal_stays_one_beside_other_mistakes(ada, bob):
    skill = SkillFactory(title="Old")
    form = opened(bob, skill)
    saved(ada, skill, form | {"title": "Ada's"})

    errors, page = refusal(save(bob, skill, form | {"title": "Bob's", "slug": "No Slug"}))

    assert list(errors) == ["slug", "title"]
    assert '<span class="del">Ada&#x27;s</span>' in page


def test_a_change_after_a_refusal_is_refused_again(ada, bob):
    skill = SkillFactory(title="Old")
    form = opened(bob, skill) | {"title": "Bob's"}
    saved(ada, skill, form | {"title": "Ada's"})
    again = untouched_form(save(bob, skill, form))
    saved(ada, skill, opened(ada, skill) | {"title": "Ada's other"})

    _, page = refusal(save(bob, skill, again))

    assert '<span class="del">Ada&#x27;s other</span>' in page


def test_a_field_that_follows_the_frontmatter_does_not_undo_an_edit(ada, bob):
    skill = SkillFactory(slug="pdf-tables", content=SKILL_MD, description="Reads tables.")
    form = opened(bob, skill)
    saved(ada, skill, form | {"description": "Ada's."})

    content = SKILL_MD.replace("Reads tables", "Reads all tables")
    errors, _ = refusal(save(bob, skill, form | {"content": content}))

    assert list(errors) == ["description"]
    skill.refresh_from_db()
    assert (skill.description, skill.content) == ("Ada's.", SKILL_MD)


def test_a_text_is_checked_against_the_slug_that_somebody_else_has_given(ada, bob):
    skill = SkillFactory(slug="pdf-tables", content="Tables.")
    form = opened(bob, skill)
    saved(ada, skill, form | {"slug": "all-tables"})

    errors, _ = refusal(save(bob, skill, form | {"content": SKILL_MD}))

    assert errors == {
        "content": ["Change the name in the frontmatter from pdf-tables to all-tables, the slug."]
    }


@pytest.mark.parametrize("make", [SkillFactory, PersonaFactory], ids=["skill", "persona"])
def test_a_slug_that_somebody_else_has_changed_is_not_changed_back(ada, bob, make):
    entry = make(slug="old")
    form = opened(bob, entry) | {"slug": "bobs"}
    saved(ada, entry, form | {"slug": "adas"})

    errors, _ = refusal(save(bob, entry, form))

    assert list(errors) == ["slug"]
    saved(bob, entry, form | {"slug": "old", "title": "Bob's"})
    entry.refresh_from_db()
    assert (entry.slug, entry.title) == ("adas", "Bob's")


def test_a_form_that_does_not_say_what_it_showed_replaces_nothing(bob):
    """One that was opened before an upgrade."""
    skill = SkillFactory(title="Old")
    form = opened(bob, skill) | {"title": "New"}
    for page_state in ("", '{"at": "", "fields": 1}', "\0"):
        errors, _ = refusal(save(bob, skill, form | {"page_state": page_state}))
        assert list(errors) == ["title"]


def test_counters_that_move_meanwhile_are_no_conflict(ada, client, agent):
    skill, persona = SkillFactory(slug="pdf-tables"), PersonaFactory(slug="archivist")
    forms = {row: opened(ada, row) for row in (skill, persona, agent)}
    client.post("/api/v1/agents/me/skills/install", {"slug": "pdf-tables"})
    client.post("/api/v1/agents/me/personas/install", {"slug": "archivist"})
    review(agent, persona, 4)
    client.patch("/api/v1/agents/me", {"name": "Its New Name"})

    for row in (skill, persona):
        saved(ada, row, forms[row] | {"title": "New"})
        row.refresh_from_db()
    saved(ada, agent, forms[agent])

    assert (skill.title, skill.downloads) == ("New", 1)
    assert (persona.title, persona.installs, persona.rating_avg) == ("New", 1, 4)
    agent.refresh_from_db()
    assert agent.name == "Its New Name"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("make", [SkillFactory, PersonaFactory], ids=["skill", "persona"])
def test_one_of_two_simultaneous_saves_is_refused(ada, bob, make):
    row = make(title="Old")
    model = type(row)
    form = opened(ada, row)
    titles = ["Ada's", "Bob's"]

    def count_an_install():
        counter = {model.POPULARITY: F(model.POPULARITY) + 1}
        model.objects.filter(pk=row.pk).update(**counter)

    responses = during(
        count_an_install,
        lambda: save(ada, row, form | {"title": titles[0]}),
        lambda: save(bob, row, form | {"title": titles[1]}),
    )

    assert sorted(response.status_code for response in responses) == [200, 302]
    [won] = [
        title
        for title, response in zip(titles, responses, strict=True)
        if response.status_code == 302
    ]
    row.refresh_from_db()
    assert (row.title, getattr(row, model.POPULARITY)) == (won, 1)
    assert row.history.latest().title == won
