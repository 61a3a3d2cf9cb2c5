"""Labels that staff enter take the spelling of the catalogue (contract 8.21)"""

import pytest

from catalogue.models import Skill
from tests.admin.actions import take_action, told
from tests.admin.test_editing import SKILL_MD, opened_form, save
from tests.admin.test_labels import MAKERS, TAGS, labels, rename
from tests.factories import SkillFactory


@MAKERS
@pytest.mark.contract("8.21")
def test_a_form_takes_the_spelling_of_other_entries(admin_client, make):
    make(category="Data", tags=["PDF", "J\u00f6rg"], license="MIT", author="Ada")
    entry = make(content=SKILL_MD)

    form = {"category": "DATA", "tags": "pdf,Csv,csv,jo\u0308rg", "license": "mit", "author": "ADA"}
    save(admin_client, entry, opened_form(admin_client, entry) | form)

    assert labels(entry) == ("Data", ["PDF", "Csv", "J\u00f6rg"], "MIT")
    assert entry.author == "Ada"


@MAKERS
@pytest.mark.contract("8.21")
def test_a_spelling_that_no_other_entry_has_can_be_corrected(admin_client, make):
    entry = make(tags=["pdf"], content=SKILL_MD)

    save(admin_client, entry, opened_form(admin_client, entry) | {"tags": "PDF"})

    assert labels(entry)[1] == ["PDF"]


@pytest.mark.contract("8.21")
def test_a_field_that_follows_the_frontmatter_takes_the_spelling_too(admin_client):
    SkillFactory(tags=["PDF"])
    entry = SkillFactory(slug="pdf-tables", content=SKILL_MD)
    content = SKILL_MD.replace("description:", "tags: [pdf]\ndescription:")

    save(admin_client, entry, opened_form(admin_client, entry) | {"content": content})

    assert labels(entry)[1] == ["PDF"]
    assert "tags: [pdf]" in entry.content


@MAKERS
@pytest.mark.contract("8.21")
def test_labels_of_many_take_the_spelling_of_the_catalogue(admin_client, make):
    make(category="Data", tags=["PDF"], license="MIT")
    entry = make(tags=["Old", "csv"])

    fields = {"category": "data", "license": "mit", "add_tags": "pdf, Csv", "remove_tags": "OLD"}
    take_action(admin_client, "edit_labels", entry, **fields)

    assert labels(entry) == ("Data", ["csv", "PDF"], "MIT")


@pytest.mark.contract("8.21")
def test_a_tag_is_respelled_wherever_it_is(admin_client, monkeypatch):
    monkeypatch.setattr("search.admin.labels.MAX_AT_ONCE", 2)
    for tag in ("pdf", "Pdf", "PDF", "pdf"):
        SkillFactory(tags=[tag])

    left = "More entries have the tag pdf. Rename it again to change them, too."
    assert left in told(rename(admin_client, "pdf", "PDF"))
    assert left not in told(rename(admin_client, "pdf", "PDF"))

    assert [skill.tags for skill in Skill.objects.all()] == [["PDF"]] * 4
    [(tag, [of_skills, _])] = admin_client.get(TAGS).context["tags"]
    assert (tag, of_skills["number"]) == ("PDF", 4)


@pytest.mark.contract("8.21")
def test_a_tag_that_is_renamed_takes_the_spelling_of_the_catalogue(admin_client):
    SkillFactory(tags=["PDF"])
    entry = SkillFactory(tags=["documents"])

    rename(admin_client, "Documents", "pdf")

    assert labels(entry)[1] == ["PDF"]


@MAKERS
@pytest.mark.parametrize("status", ["published", "draft"])
def test_the_filters_of_a_list_find_both_spellings(admin_client, make, status):
    for label in ("PDF", "pdf", "csv"):
        make(category=label, tags=[label], author=label, status=status)
    kind = make._meta.model._meta.model_name

    for name in ("category", "tag", "author"):
        page = admin_client.get(f"/admin/catalogue/{kind}/?{name}=Pdf")
        assert len(page.context["cl"].result_list) == 2, name
    listed = admin_client.get(f"/admin/catalogue/{kind}/").context["cl"].filter_specs
    [categories] = [spec.lookup_choices for spec in listed if spec.title == "category"]
    assert [value.lower() for value, _ in categories] == ["csv", "pdf"]
