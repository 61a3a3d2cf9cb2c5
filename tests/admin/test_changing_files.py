"""Staff add, edit, rename, replace and remove the files of a skill in its form"""

from functools import partial

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue.models import FileContent, Skill
from submissions.models import Submission
from tests.admin.actions import told
from tests.admin.edits import opened, refusal, save, saved
from tests.admin.files import SKILL_MD
from tests.admin.rows import change_page
from tests.admin.skill_form import CONTENT, FILES, change, rows, skill_with_files
from tests.admin.test_lists import MAX_QUERIES
from tests.api.concurrency import during
from tests.browser import untouched_form
from tests.factories import SkillFactory, SkillInstallFactory

pytestmark = pytest.mark.contract("17.15")


@pytest.fixture
def skill(db):
    return skill_with_files()


def served(anyone, skill):
    found = anyone.get(f"/api/v1/skills/{skill.slug}").json()
    return found["number"], {
        file["path"]: anyone.get(file["url"].partition("testserver")[2]).content
        for file in found["files"]
    }


def test_all_changes_of_files_are_one_version(admin_client, anyone, skill):
    SkillInstallFactory(skill=skill)

    page = change(
        admin_client,
        skill,
        {"path": "references/new.md", "text": "New.\r\n"},
        {"was": "scripts/run.py", "path": "scripts/main.py", "text": "print(2)\r\n"},
        {"was": "references/a.md", "path": "references/a.md", "text": "One\r\ntwo\r\nthree\r\n"},
        {
            "was": "assets/logo.png",
            "path": "assets/logo.png",
            "upload": SimpleUploadedFile("other.png", b"\0\xfe"),
        },
        {"path": "", "text": "", "upload": SimpleUploadedFile("data.csv", b"a,b\n")},
    )

    [message] = told(page)
    assert message == (
        "Published version 2 of pdf: 1 agent gets it. Findings: script: scripts/main.py: agents "
        "may run it."
    )
    assert served(anyone, skill) == (
        2,
        {
            "assets/logo.png": b"\0\xfe",
            "data.csv": b"a,b\n",
            "references/a.md": b"\xef\xbb\xbfOne\r\ntwo\r\nthree\r\n",
            "references/new.md": b"New.\n",
            "scripts/main.py": b"print(2)\n",
        },
    )
    skill.refresh_from_db()
    executable = [file["path"] for file in skill.files if file["is_executable"]]
    assert executable == ["scripts/main.py"]
    assert skill.history.first().history_user.username == "clerk-0"
    changed = admin_client.get(change_page(skill).replace("change", "history")).content.decode()
    assert "<b>Files</b>" in changed


def test_a_removed_file_is_gone(admin_client, anyone, skill):
    change(admin_client, skill, {"was": "scripts/run.py", "path": "scripts/run.py", "remove": "on"})

    assert [*served(anyone, skill)[1]] == ["assets/logo.png", "references/a.md"]


def test_a_row_that_was_only_opened_changes_nothing(admin_client, skill):
    page = admin_client.get(
        change_page(skill), {"file": ["references/a.md", "assets/logo.png", "none"]}
    )
    form = untouched_form(page)

    assert form["files-0-text"] == "\ufeffOne\r\ntwo\r\n"
    assert "files-1-text" not in form
    assert form["files-2-was"] == ""
    saved(admin_client, skill, form)
    skill.refresh_from_db()
    assert skill.number == 1
    assert not skill.history.exists()


def test_a_new_skill_has_files_at_once(admin_client):
    url = "/admin/catalogue/skill/add/"
    page = admin_client.get(url)
    assert '<a class="underline" href="/admin/catalogue/skill/import/">' in page.content.decode()
    about = {"slug": "pdf", "title": "PDF", "content": CONTENT}

    files = rows({"path": "a.md", "text": "A"})
    assert admin_client.post(url, untouched_form(page) | about | files).status_code == 302

    skill = Skill.objects.get()
    assert [(file["path"], skill.bytes_of(file)) for file in skill.files] == [("a.md", b"A")]
    assert (skill.status, skill.archive_digest != "") == ("draft", True)


def test_agents_get_no_secret_before_somebody_has_read_of_it(admin_client, skill):
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    contents = FileContent.objects.count()

    page = change(admin_client, skill, {"path": "a.md", "text": key})

    assert "Nothing was saved: agents would get this" in page.content.decode()
    assert "a.md, line 1: AWS access key, AKIA…" in page.content.decode()
    assert (Skill.objects.get().number, FileContent.objects.count()) == (1, contents)
    box = page.context["adminform"].form.answer
    saved(admin_client, skill, untouched_form(page) | {"accepted": box})
    skill.refresh_from_db()
    assert skill.number == 2


def test_a_refused_save_names_the_files_to_choose_again(admin_client, skill):
    uploads = [SimpleUploadedFile(name, b"a,b") for name in ("data.csv", "<b>.csv")]

    page = change(admin_client, skill, *({"upload": upload} for upload in uploads), title="")

    _, *fields = page.content.decode().partition('id="file-rows"')[2].split('type="file"')
    for name, field in zip(("data.csv", "&lt;b&gt;.csv"), fields[:2], strict=True):
        note = f"Nothing was saved, so choose {name} again."
        assert note in field.partition("</div>")[0]
    assert Skill.objects.get().number == 1


def test_files_that_somebody_else_has_changed_are_not_replaced_unseen(ada, bob, skill):
    form = opened(bob, skill) | rows({"path": "bob.md", "text": "Bob's"})
    change(ada, skill, {"was": "scripts/run.py", "path": "scripts/run.py", "text": "print(2)"})

    response = save(bob, skill, form)

    errors, page = refusal(response)
    assert errors == {"files": ["This has changed since you opened the page."]}
    assert "bob.md, 5 bytes" in page
    assert Skill.objects.get().number == 2
    saved(bob, skill, untouched_form(response))
    skill.refresh_from_db()
    contents = {file["path"]: skill.bytes_of(file) for file in skill.files}
    assert (contents["bob.md"], contents["scripts/run.py"]) == (b"Bob's", b"print(2)")


def test_labels_are_saved_though_somebody_else_has_changed_files(ada, bob, skill):
    form = opened(bob, skill) | {"tags": "pdf"}
    change(ada, skill, {"path": "ada.md", "text": "Ada's"})

    saved(bob, skill, form)

    skill.refresh_from_db()
    assert (skill.tags, len(skill.files), skill.number) == (["pdf"], 4, 2)


@pytest.mark.django_db(transaction=True)
def test_saves_that_store_the_same_file_take_turns_with_imports(ada, bob):
    """Otherwise the second one would fail at the content that the first one has stored."""
    saves = []
    for client, slug in ((ada, "one"), (bob, "two")):
        skill = SkillFactory(slug=slug, content=SKILL_MD.format(slug))
        form = opened(client, skill) | rows({"path": "a.md", "text": "The same."})
        saves.append(partial(save, client, skill, form))

    responses = during(FileContent.objects.take_turn, *saves)

    assert [response.status_code for response in responses] == [302, 302]
    assert [len(skill.files) for skill in Skill.objects.all()] == [1, 1]


def test_changed_files_go_to_the_desk(admin_client, skill, settings):
    settings.SUBMISSIONS = "claimed"
    contents = FileContent.objects.count()

    change(admin_client, skill, {"path": "a.md", "text": "A"}, _desk="1")

    paths = [file["path"] for file in Submission.objects.get().files]
    assert paths == ["a.md", *FILES]
    skill.refresh_from_db()
    assert (skill.number, len(skill.files)) == (1, 3)
    assert FileContent.objects.count() == contents


def test_those_who_only_look_at_skills_change_no_files(clerk_with, skill):
    clerk = clerk_with("view_skill")

    page = clerk.get(change_page(skill)).content.decode()

    assert "scripts/run.py" in page
    assert "files-TOTAL_FORMS" not in page
    response = clerk.post(change_page(skill), rows({"path": "a", "text": "x"}))
    assert response.status_code == 403


def test_a_page_of_many_files_stays_small(admin_client):
    few = SkillFactory(content=CONTENT, files={"a.md": b"A"})
    files = {f"references/{number}.md": b"A" for number in range(60)}
    many = SkillFactory(content=CONTENT, files=files)
    sizes = []
    admin_client.get(change_page(few))  # A process reads the content types once.
    for skill in (few, many):
        with CaptureQueriesContext(connection) as queries:
            page = admin_client.get(change_page(skill), {"file": [*files][:20]})
        assert len(queries) <= MAX_QUERIES
        sizes.append(len(admin_client.get(change_page(skill)).content))
    assert sizes[1] - sizes[0] < 60 * 400
    with CaptureQueriesContext(connection) as queries:
        saved(
            admin_client,
            many,
            untouched_form(page)
            | rows(*({"was": path, "path": f"{path}x", "text": "B"} for path in files)),
        )
    assert len(queries) < 60
