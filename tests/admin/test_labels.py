"""Category, tags and license: suggested, edited together, renamed and merged"""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Skill
from tests.admin.actions import take_action, told
from tests.admin.rows import change_page
from tests.admin.test_lists import MAX_QUERIES
from tests.factories import PersonaFactory, SkillFactory

TAGS = "/admin/catalogue/skill/tags/"
MAKERS = pytest.mark.parametrize("make", [SkillFactory, PersonaFactory], ids=["skill", "persona"])


def suggested(page):
    lists = re.findall(r'<datalist id="used-(\w+)">(.*?)</datalist>', page.content.decode())
    return {name: re.findall('value="(.*?)"', options) for name, options in lists}


def labels(entry):
    entry.refresh_from_db()
    return entry.category, entry.tags, entry.license


@MAKERS
def test_values_in_use_are_suggested_the_most_common_first(admin_client, make):
    make(category="data", tags=["pdf"], license="MIT", author="Ada")
    entry = make(category="data", tags=["csv"], author="Bob")
    make(category="writing", tags=["csv"], status="draft")

    page = admin_client.get(change_page(entry))

    assert suggested(page) == {
        "category": ["data"],
        "tags": ["csv", "pdf"],
        "license": ["MIT"],
        "author": ["Ada", "Bob"],
    }
    for name in ("category", "tags", "license", "author"):
        [field] = re.findall(rf'<input[^>]* name="{name}"[^>]*>', page.content.decode())
        assert f'list="used-{name}"' in field


@MAKERS
def test_many_are_edited_together_and_what_is_empty_stays(admin_client, anyone, make):
    one = make(slug="one", category="data", tags=["pdf", "old"], license="MIT")
    two = make(slug="two", category="writing", tags=["csv"], status="draft")
    other = make(slug="three", tags=["old"])

    page = take_action(
        admin_client,
        "edit_labels",
        one,
        two,
        category="files",
        add_tags="csv, new",
        remove_tags="old",
    )

    assert told(page) == ["Edited: one, two."]
    assert labels(one) == ("files", ["pdf", "csv", "new"], "MIT")
    assert labels(two) == ("files", ["csv", "new"], "")
    assert labels(other) == ("development", ["old"], "")
    kind = one._meta.model_name
    assert anyone.get(f"/api/v1/{kind}s/one").json()["tags"] == ["pdf", "csv", "new"]
    assert one.history.first().history_change_reason == "Edited: category, add tags, remove tags."


def test_a_tag_that_is_entered_twice_is_added_once(admin_client):
    skill = SkillFactory(tags=["b"])

    take_action(admin_client, "edit_labels", skill, add_tags="a, a, b")

    assert labels(skill)[1] == ["b", "a"]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, "Enter at least one value."),
        ({"category": "c" * 65}, "Ensure this value has at most 64 characters (it has 65)."),
        ({"add_tags": "ok," + "t" * 65}, "Item 2 in the array did not validate"),
    ],
)
def test_invalid_labels_are_refused(admin_client, fields, error):
    skill = SkillFactory(category="data")

    page = take_action(admin_client, "edit_labels", skill, **fields)

    assert error in page.content.decode()
    assert labels(skill) == ("data", [], "")


def test_the_page_of_tags_counts_them(admin_client):
    for tags in (["pdf", "tables"], ["pdf"], ["a&b"]):
        SkillFactory(tags=tags)
    PersonaFactory(tags=["other", "PDF"])

    def counted(query=""):
        """`[(tag, number of skills, number of personas)]`."""
        rows = admin_client.get(TAGS + query).context["tags"]
        return [(tag, *(cell and cell["number"] for cell in cells)) for tag, cells in rows]

    others = [("a&b", 1, None), ("tables", 1, None), ("other", None, 1)]
    assert counted() == [("pdf", 2, 1), *others]
    assert counted("?q=PD") == [("pdf", 2, 1)]
    page = admin_client.get(TAGS)
    assert "/admin/catalogue/skill/tags/rename/?tag=a%26b" in page.content.decode()
    assert "/admin/catalogue/persona/tags/rename/?tag=PDF" in page.content.decode()
    page = admin_client.get(f"{TAGS}?q=<b>")
    assert "No tag contains &lt;b&gt;." in page.content.decode()
    listed = admin_client.get("/admin/catalogue/skill/?tag=pdf").context["cl"].result_list
    assert len(listed) == 2


def rename(client, old, new):
    return client.post(f"{TAGS}rename/?tag={old}", {"confirmed": "yes", "new": new}, follow=True)


def test_entries_that_are_left_with_a_tag_are_told(admin_client, monkeypatch):
    monkeypatch.setattr("search.admin.labels.MAX_AT_ONCE", 1)
    SkillFactory.create_batch(2, tags=["pdf"])

    left = "More entries have the tag pdf. Rename it again to change them, too."
    assert left in told(rename(admin_client, "pdf", "documents"))
    assert left not in told(rename(admin_client, "pdf", "documents"))


def test_a_tag_is_renamed_in_drafts_too_once_it_is_confirmed(admin_client, anyone):
    skills = [
        SkillFactory(slug="one", tags=["pdf", "csv"]),
        SkillFactory(tags=["pdf"], status="draft"),
    ]
    other = SkillFactory(tags=["pdfs"])

    preview = admin_client.get(f"{TAGS}rename/?tag=pdf")
    assert (
        "This changes the tag in each of these skills, drafts included." in preview.content.decode()
    )
    assert labels(skills[0])[1] == ["pdf", "csv"]
    page = rename(admin_client, "pdf", "documents")

    assert told(page)[0].startswith("Renamed the tag pdf to documents: ")
    assert [labels(skill)[1] for skill in [*skills, other]] == [
        ["csv", "documents"],
        ["documents"],
        ["pdfs"],
    ]
    assert anyone.get("/api/v1/skills?tag=documents").json()["count"] == 1
    assert skills[0].history.first().history_change_reason == "Renamed the tag pdf to documents."


def test_two_tags_become_one(admin_client):
    both, one = SkillFactory(tags=["pdf", "pdfs"]), SkillFactory(tags=["pdfs"])

    rename(admin_client, "pdfs", "pdf")

    assert (labels(both)[1], labels(one)[1]) == (["pdf"], ["pdf"])


@pytest.mark.parametrize(
    ("new", "error"),
    [
        ("", "This field is required."),
        ("a,b", "A tag must not contain a comma."),
        ("pdf", "Enter a name that differs from the current one."),
    ],
)
def test_a_tag_gets_a_name_that_a_tag_may_have(admin_client, new, error):
    skill = SkillFactory(tags=["pdf"])

    page = rename(admin_client, "pdf", new)

    assert error in page.content.decode()
    assert labels(skill)[1] == ["pdf"]


@pytest.mark.parametrize("tag", ["none", "", "%00"])
def test_a_tag_that_nothing_has_leads_back(admin_client, tag):
    assert "has the tag" in told(rename(admin_client, tag, "new"))[0]


def test_tags_are_for_those_who_may_change_entries(admin_client_of, clerk_with):
    SkillFactory(tags=["pdf"])
    reader = clerk_with("view_skill")

    assert "Rename" not in reader.get(TAGS).content.decode()
    assert reader.get(f"{TAGS}rename/?tag=pdf").status_code == 403
    assert admin_client_of("Moderators").get(TAGS).status_code == 403


def test_the_pages_of_tags_need_few_queries(admin_client):
    for number in range(30):
        SkillFactory(tags=["pdf", f"tag-{number}"])
    for url in (TAGS, f"{TAGS}rename/?tag=pdf", change_page(Skill.objects.first())):
        with CaptureQueriesContext(connection) as queries:
            assert admin_client.get(url).status_code == 200
        assert len(queries) <= MAX_QUERIES
