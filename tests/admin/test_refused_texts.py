"""A text that was recalled or purged does not come back by an edit, a restore or an import"""

import pytest
from django.db import IntegrityError, transaction

from catalogue.models import Purge
from tests.admin.actions import take_action, told
from tests.admin.files import SKILL_MD, confirm, outcomes, upload, zip_of
from tests.admin.rows import change_page
from tests.api.versioned_kinds import Kind, text
from tests.api.versions import rewrite
from tests.browser import untouched_form
from tests.factories import SkillFactory
from tests.imports import import_skills

RECALLED = "This text was recalled. Change it, or lift the recall of its version."
PURGED = "This text was purged and cannot come back. Change it."


class WrittenKind(Kind):
    """One whose texts the forms accept."""

    def text(self, number):
        return text(number) if self.name == "skill" else f"Text {number}."


@pytest.fixture(params=["skill", "persona"])
def kind(request, db):
    return WrittenKind(request.param)


@pytest.fixture
def refused(kind):
    """What staff read where text 1 is refused: a skill's is recalled, and a persona's is purged."""
    version = kind.entry.versions.get(number=1)
    if kind.name == "skill":
        version.recall("Unsafe.")
        return RECALLED
    Purge.objects.purge(version, "Unsafe.")
    return PURGED


def edit(admin_client, kind, **fields):
    url = change_page(kind.entry)
    return admin_client.post(url, untouched_form(admin_client.get(url)) | fields)


@pytest.mark.contract("25.11")
def test_an_edit_is_refused_and_keeps_what_was_typed(admin_client, kind, refused):
    page = edit(admin_client, kind, content=kind.text(1), title="Another title")

    assert page.context["adminform"].form.errors == {"content": [refused]}
    assert untouched_form(page)["title"] == "Another title"
    kind.entry.refresh_from_db()
    assert (kind.entry.number, kind.entry.title) == (3, "Title 3")


@pytest.mark.contract("25.11")
def test_a_draft_keeps_the_text_and_is_not_published(admin_client, kind, refused):
    kind.entry.redraft()
    assert edit(admin_client, kind, content=kind.text(1)).status_code == 302

    page = take_action(admin_client, "publish", kind.entry)

    assert told(page)[1:] == [f"{kind.slug}: {refused}"]
    kind.entry.refresh_from_db()
    assert (kind.entry.status, kind.entry.number) == ("draft", 3)


@pytest.mark.contract("25.11")
@pytest.mark.parametrize("place", ["command", "admin"])
def test_a_file_is_refused_and_the_others_are_imported(admin_client, tmp_path, place):
    kind = Kind("skill")
    kind.entry.versions.get(number=1).recall("Unsafe.")
    files = {"pdf-tables/SKILL.md": text(1), "z/SKILL.md": SKILL_MD.format("z")}
    if place == "admin":
        upload(admin_client, zip_of(files))
        assert confirm(admin_client).refusals == [["pdf-tables/SKILL.md", RECALLED]]
    else:
        for path, content in files.items():
            (tmp_path / path).parent.mkdir()
            (tmp_path / path).write_text(content)
        source = tmp_path / "pdf-tables" / "SKILL.md"
        type(kind.entry).objects.filter(pk=kind.entry.pk).update(source=str(source))
        assert import_skills(tmp_path).refused == [f"{source}: {RECALLED}"]

    assert list(kind.model.objects.order_by("slug").values_list("slug", "number")) == [
        *(("pdf-tables", 3), ("z", 1))
    ]


@pytest.mark.contract("25.13")
def test_a_purged_text_is_no_new_entry(admin_client, anyone):
    kind = WrittenKind("persona")
    Purge.objects.purge(kind.entry.versions.get(number=1), "Unsafe.")
    other = f"---\nname: other\ndescription: Other.\n---\n{kind.text(1)}"

    page = upload(admin_client, zip_of({"other.md": other}), to="/admin/catalogue/persona/")

    assert outcomes(page) == {"refused": ["other.md"]}
    assert anyone.get("/api/v1/personas/other").status_code == 404


# Agents get the second one rewritten, with the fields of the skill.
@pytest.mark.contract("25.13")
@pytest.mark.parametrize("content", [text(1), text(1).replace("name:", "tags: [pdf]\nname:")])
def test_a_purged_skill_is_no_new_entry_under_another_name(anyone, tmp_path, content):
    kind = Kind("skill")
    kind.entry.content = content
    kind.entry.save()
    version = kind.entry.versions.first()
    kind.rewrite(9)
    Purge.objects.purge(version, "Unsafe.")
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "SKILL.md").write_text(content)

    [refusal] = import_skills(tmp_path).refused

    assert refusal.endswith(": This text was purged and cannot come back. Change it.")
    with pytest.raises(IntegrityError), transaction.atomic():
        SkillFactory(slug="other", content=content)
    assert [skill["slug"] for skill in anyone.get("/api/v1/skills").json()["results"]] == [
        "pdf-tables"
    ]


@pytest.mark.contract("25.13")
def test_a_purged_text_stays_where_it_is_published_with_another_description(db):
    one, other = SkillFactory(content="Forbidden."), SkillFactory(content="Forbidden.")
    rewrite(one, "Good.")
    Purge.objects.purge(one.versions.get(number=1), "Unsafe.")

    rewrite(other, "Forbidden.", description="Another one.")

    other.refresh_from_db()
    assert (other.status, other.number) == ("published", 2)
