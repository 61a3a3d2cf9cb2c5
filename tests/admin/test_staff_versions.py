"""Staff read, compare, restore and recall the versions of an entry."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import Purge
from tests.admin.diffs import lines_of
from tests.admin.version_tables import act, page_of, rows
from tests.api.versioned_kinds import Kind, text
from tests.api.versions import rewrite, skill_with_versions
from tests.factories import PersonaFactory, PersonaInstallFactory, SkillFactory, SkillInstallFactory
from tests.interfaces.pages import text_of

REASON = "It deletes logs."


@pytest.fixture(params=["skill", "persona"])
def kind(request, db):
    return Kind(request.param)


def texts_of(page):
    return {change["name"]: lines_of(change) for change in page.context["changes"]}


@pytest.mark.contract("25.14")
def test_the_list_has_each_version_and_who_has_it(admin_client, kind, client):
    factory = SkillInstallFactory if kind.name == "skill" else PersonaInstallFactory
    kind.post(client, "install", version=2)
    for number in (3, 3, None):
        install = factory(**{kind.name: kind.entry})
        type(install).objects.filter(pk=install.pk).update(number=number)
    kind.recall(1)

    page = admin_client.get(page_of(kind))

    assert rows(page) == [
        ["3", "2", "current", ""],
        ["2", "1, 1 pinned", "", "Restore Recall"],
        ["1", "0", "recalled Unsafe.", "Lift the recall"],
    ]
    assert "1 agent has a text from before version 1." in page.content.decode()
    listed = f"/admin/installs/{kind.name}install/?{kind.name}__id__exact={kind.entry.pk}"
    installs = admin_client.get(f"{listed}&present=yes&number=2").context["cl"]
    assert [install.number for install in installs.result_list] == [2]


def test_the_list_costs_the_same_for_any_number_of_versions(admin_client, kind):
    def queries():
        with CaptureQueriesContext(connection) as queries:
            assert admin_client.get(page_of(kind)).status_code == 200
        return len(queries)

    few = queries()
    for number in range(4, 60):
        kind.rewrite(number)
    assert queries() == few
    assert len(rows(admin_client.get(page_of(kind)))) == 50
    assert [row[0] for row in rows(admin_client.get(page_of(kind, "?p=2")))] == [
        str(number) for number in range(9, 0, -1)
    ]


@pytest.mark.contract("25.14")
def test_two_versions_are_compared_by_line_and_word(admin_client, kind):
    page = admin_client.get(page_of(kind, "compare/?from=1&to=3"))

    label = "SKILL.md" if kind.name == "skill" else "Prompt"
    assert texts_of(page)["Title"] == [("del", "One"), ("add", "Title 3")]
    assert texts_of(page)[label][-2:] == [("del", "Text 1."), ("add", "Text 3.")]
    assert ">Text <mark>1</mark>.</span>" in page.content.decode()
    assert "<p>1 line added, 1 removed.</p>" in page.content.decode()


@pytest.mark.contract("25.14")
def test_files_are_compared(admin_client, db):
    skill = skill_with_versions()

    page = admin_client.get(f"/admin/catalogue/skill/{skill.pk}/versions/compare/?from=1&to=2")

    changes = texts_of(page)
    assert list(changes) == [*("Title", "Label", "SKILL.md", "run.bin", "scripts/run.py")]
    assert [kind for kind, _ in changes["run.bin"]] == ["add"]
    assert changes["scripts/run.py"] == []
    assert "<b>scripts/run.py</b> removed" in page.content.decode()


@pytest.mark.parametrize("query", ["", "?from=1", "?from=1&to=x", "?from=1&to=9", "?from=0&to=1"])
def test_comparing_an_unknown_version_is_not_found(admin_client, kind, query):
    assert admin_client.get(page_of(kind, f"compare/{query}")).status_code == 404


def test_a_version_is_read_with_its_files_also_when_it_is_recalled(admin_client, db):
    skill = skill_with_versions()
    skill.versions.get(number=1).recall(REASON)
    place = f"/admin/catalogue/skill/{skill.pk}/versions/1/"

    page = admin_client.get(place).content.decode()

    assert "One." in page
    assert REASON in page
    assert 'href="files/scripts/run.py"' in page
    assert "print(1)" in admin_client.get(f"{place}files/scripts/run.py").content.decode()
    assert admin_client.get(f"{place}files/other").status_code == 404


@pytest.mark.contract("25.14")
def test_a_restored_version_is_a_new_number_with_the_old_digest(admin_client, kind, anyone):
    assert act(admin_client, kind, 1, "restore") == [
        "Restored version 1 as version 4: no agent gets it yet."
    ]

    versions = anyone.get(f"/api/v1/{kind.name}s/{kind.slug}/versions").json()["results"]
    assert [version["number"] for version in versions] == [4, 3, 2, 1]
    assert versions[0]["digest"] == versions[3]["digest"]
    detail = anyone.get(f"/api/v1/{kind.name}s/{kind.slug}").json()
    assert [detail[name] for name in ("number", "title", "version", "content")] == [
        *(4, "One", "1.0", text(1))
    ]
    newest = kind.entry.history.first()
    assert (newest.history_change_reason, newest.history_user.username) == (
        *("Restored version 1.", "clerk-0"),
    )


def test_restoring_a_version_is_confirmed_with_a_comparison(admin_client, kind):
    page = admin_client.get(page_of(kind, "1/restore/"))

    assert texts_of(page)["Title"] == [("del", "Title 3"), ("add", "One")]
    kind.entry.refresh_from_db()
    assert kind.entry.number == 3


@pytest.mark.contract("25.14")
@pytest.mark.parametrize(
    "content", ["Do it.", '---\nname: pdf-tables\ndescription: Says: "it\\n".\n---\nText.\n']
)
def test_a_skill_md_that_the_catalogue_wrote_is_restored(admin_client, anyone, content):
    kind = Kind("skill")
    kind.entry.tags, kind.entry.category, kind.entry.content = ["a, [b]", "~"], "null", content
    kind.entry.save()
    before = anyone.get("/api/v1/skills/pdf-tables/versions/4").json()
    kind.entry.tags, kind.entry.category = ["other"], "data"
    kind.rewrite(5)

    act(admin_client, kind, 4, "restore")

    after = anyone.get("/api/v1/skills/pdf-tables/versions/6").json()
    same = ("title", "version", "description", "digest", "content", "contextTokens")
    assert [after[name] for name in same] == [before[name] for name in same]
    texts = [
        anyone.get(f"/api/v1/skills/pdf-tables/versions/{number}/SKILL.md").content
        for number in (4, 6)
    ]
    assert texts[0] == texts[1]
    assert (kind.entry.tags, kind.entry.category) == (["other"], "data")  # which staff chose since


@pytest.mark.contract("25.14")
def test_under_another_slug_the_skill_md_is_written_anew(admin_client, db, anyone):
    kind = Kind("skill")
    kind.entry.slug = "tables"
    kind.entry.save()

    act(admin_client, kind, 1, "restore")

    assert b"\nname: tables\n" in anyone.get("/api/v1/skills/tables/SKILL.md").content


def test_a_draft_gets_the_text_and_no_number(admin_client, kind):
    kind.entry.redraft()

    act(admin_client, kind, 1, "restore")

    assert (kind.entry.number, kind.entry.content) == (3, text(1))
    kind.entry.publish()
    kind.entry.refresh_from_db()
    assert (kind.entry.number, kind.entry.digest) == (4, kind.digest(1))


def test_a_purged_text_is_not_restored(admin_client, kind):
    Purge.objects.create(kind=kind.name, digest=kind.digest(1), reason=REASON)

    assert act(admin_client, kind, 1, "restore") == [
        "This text was purged and cannot come back. Change it."
    ]
    assert (kind.entry.number, kind.entry.title) == (3, "Title 3")


def test_the_current_text_is_not_restored(admin_client, kind):
    assert act(admin_client, kind, 3, "restore") == ["The entry has this text already."]
    assert kind.entry.number == 3


def test_permission_to_view_changes_no_version(clerk_with, kind):
    clerk = clerk_with(f"view_{kind.name}")

    assert rows(clerk.get(page_of(kind)))[1] == ["2", "0", ""]
    assert clerk.get(page_of(kind, "compare/?from=1&to=2")).status_code == 200
    for action in ("restore", "recall", "lift_recall"):
        response = clerk.post(page_of(kind, f"1/{action}/"), {"confirmed": "yes", "reason": "x"})
        assert response.status_code == 403
    assert kind.entry.versions.readable().count() == 3


def test_versions_need_permission_to_view_the_entry(clerk_with, kind):
    clerk = clerk_with("view_agent")
    for path in ("", "1/", "compare/?from=1&to=2", "1/restore/"):
        assert clerk.get(page_of(kind, path)).status_code == 403


def test_another_action_is_not_found(admin_client, kind):
    assert admin_client.get(page_of(kind, "1/delete/")).status_code == 404
    assert admin_client.get(page_of(kind, "9/restore/")).status_code == 404


@pytest.mark.contract("22.13")
def test_a_version_names_its_repairs(anyone, admin_client):
    skill = SkillFactory(slug="one", content="---\nname: One\ndescription: a: b\n---\nDo it.")
    rewrite(skill, "---\nname: one\ndescription: Reads.\n---\nDo it.")

    persona = PersonaFactory(slug="one", frontmatter="---\nname: One\ndescription: a: b\n---\n")
    rewrite(persona, "You.")
    persona.frontmatter = "---\nname: one\ndescription: Reads.\n---\n"
    persona.save()

    for entry, number, is_repaired in (
        *((skill, 1, True), (skill, 2, False), (persona, 2, True), (persona, 3, False)),
    ):
        public = text_of(anyone.get(f"/{entry.kind}s/one/versions/{number}"))
        assert ("<dt>Repaired</dt><dd>name, quoting</dd>" in public) == is_repaired
        staff = admin_client.get(f"/admin/catalogue/{entry.kind}/{entry.pk}/versions/{number}/")
        repaired = "<b>Repaired</b><span>name, quoting</span>"
        assert (repaired in staff.content.decode()) == is_repaired
