"""Sources in the admin (contract 30)."""

import pytest

from catalogue.models import Skill
from sources.admin import ConfirmWithdrawalsForm
from sources.models import Source, SourceFile
from tests.admin.actions import take_action, told
from tests.browser import untouched_form
from tests.factories import SkillFactory, SourceFactory
from tests.sources.syncing.conftest import published

SOURCES = "/admin/sources/source/"
GONE = "The folder skills is gone. 1 of 1 entries would go: confirm it, or pause."


@pytest.fixture(autouse=True)
def hosts(settings):
    settings.SOURCE_HOSTS = ["git.example.com"]


@pytest.fixture
def page(admin_client):
    def page(source, path="change/"):
        return admin_client.get(f"{SOURCES}{source.pk}/{path}")

    return page


def facts_of(page):
    return dict(page.context["facts"])


@pytest.mark.contract("30.14")
def test_a_superuser_adds_a_source(admin_client):
    form = untouched_form(admin_client.get(f"{SOURCES}add/"))
    url = "https://git.example.com/team.git"

    refused = admin_client.post(f"{SOURCES}add/", form | {"name": "team", "url": f"{url}?x"})
    form |= {"folder": "cafe\u0301"}  # as macOS writes it
    admin_client.post(f"{SOURCES}add/", form | {"name": "team", "url": url})

    assert list(refused.context["adminform"].form.errors) == ["url"]
    source = Source.objects.get()
    assert (source.name, source.url, source.ref, source.kind) == ("team", url, "main", "skills")
    assert (source.review, source.wait_hours, source.every_minutes) == ("here", 0, 60)
    assert source.folder == "caf\u00e9"


@pytest.mark.contract("30.14")
def test_its_page_shows_what_the_last_run_found(repository, page):
    facts = facts_of(page(repository.source))
    assert (facts["Last run"], facts["Next run"]) == ("none yet", "soon")
    repository.skill("skills/pdf")
    repository.skill("skills/csv", run_py="print()")
    repository.sync(findings=[("vendor", "A submodule.")], rewritten=True)

    shown = page(repository.source)

    facts = facts_of(shown)
    assert facts["Commit"] == f"{1:040x}"
    assert facts["Found"] == "skills in skills/: 2"
    assert facts["Entries"] == "1 published, 1 proposed"
    assert facts["History"].endswith(": this commit replaces others")
    text = shown.content.decode()
    assert "<b>vendor</b> <span>A submodule.</span>" in text
    [panel] = shown.context["panels"]
    assert [row[:2] for row in panel["rows"]] == [("skill csv", "skills/csv/SKILL.md")]


@pytest.mark.contract("30.14")
def test_the_list_shows_its_state(admin_client, repository):
    repository.sync(folder="skills")

    text = admin_client.get(SOURCES).content.decode()

    assert "state-failing" in text
    assert "Sources that fail" in admin_client.get("/admin/").content.decode()


@pytest.mark.contract("30.14")
def test_staff_ask_for_a_run_and_pause_it(admin_client):
    source = SourceFactory(name="team")

    assert told(take_action(admin_client, "sync_soon", source)) == ["Requested a run: team."]
    source.refresh_from_db()
    assert source.soon
    take_action(admin_client, "pause", source)
    source.refresh_from_db()
    assert source.state == "paused"
    Source.objects.update(soon=False)
    take_action(admin_client, "resume", source)
    source.refresh_from_db()
    assert (source.state, source.soon) == ("ok", True)


@pytest.mark.contract("30.4", "30.14")
def test_an_edit_asks_for_a_run_and_a_new_name_keeps_the_entries(admin_client, repository, page):
    repository.skill("pdf")
    repository.sync()
    form = untouched_form(page(repository.source))

    admin_client.post(f"{SOURCES}{repository.source.pk}/change/", form | {"name": "office"})

    source = Source.objects.get()
    assert (source.name, source.soon, source.commit) == ("office", True, f"{1:040x}")
    assert published() == {"pdf": "git:office:pdf/SKILL.md"}


@pytest.mark.contract("30.12")
def test_another_branch_rewrites_nothing(admin_client, repository, page):
    repository.sync()
    form = untouched_form(page(repository.source))

    admin_client.post(f"{SOURCES}{repository.source.pk}/change/", form | {"ref": "stable"})

    assert Source.objects.get().commit == ""


@pytest.fixture
def without_folder(repository):
    repository.skill("skills/pdf")
    repository.sync(folder="skills")
    repository.remove("skills")
    repository.sync()
    return repository


@pytest.mark.contract("30.10")
def test_a_superuser_confirms_withdrawals(admin_client, without_folder, page):
    source = without_folder.source
    assert GONE in page(source).content.decode()
    shown = page(source, "do/confirm_withdrawals/").context["form"]["shown"].initial

    take_action(admin_client, "confirm_withdrawals", source, shown=shown)

    source.refresh_from_db()
    assert source.soon
    without_folder.sync()
    assert Skill.objects.get().status == "withdrawn"


@pytest.mark.contract("30.10", "30.14")
def test_nobody_but_a_superuser_confirms_withdrawals(clerk_with, without_folder):
    source = without_folder.source
    clerk = clerk_with("view_source", "change_source")
    address = f"{SOURCES}{source.pk}/do/"

    assert clerk.get(f"{address}pause/").status_code == 200
    assert clerk.get(f"{address}confirm_withdrawals/").status_code == 403
    assert "Confirm withdrawals" not in clerk.get(f"{SOURCES}{source.pk}/change/").content.decode()


@pytest.mark.contract("30.10")
def test_a_confirmation_is_bound_to_what_the_page_showed(admin_client, without_folder, page):
    source = without_folder.source
    shown = page(source, "do/confirm_withdrawals/").context["form"]["shown"].initial
    other = SkillFactory(source=source.entry_source("skills/csv/SKILL.md"))
    row = SourceFile.objects.get()
    row.pk, row.path = None, "skills/csv/SKILL.md"
    row.save()

    again = take_action(admin_client, "confirm_withdrawals", source, shown=shown)

    text = again.content.decode()
    assert "This has changed since you opened the page. Read it again." in text
    assert other.slug in text
    assert not SourceFile.objects.filter(is_confirmed=True).exists()


@pytest.mark.contract("30.14")
def test_nobody_deletes_a_source(admin_client):
    source = SourceFactory()

    assert admin_client.post(f"{SOURCES}{source.pk}/delete/", {"post": "yes"}).status_code == 403


@pytest.mark.contract("30.10")
def test_a_confirmation_names_the_files_that_its_page_showed(without_folder):
    shown = ConfirmWithdrawalsForm(None, [without_folder.source]).current
    form = ConfirmWithdrawalsForm({"shown": shown}, [without_folder.source])

    assert form.is_valid()
    assert form.cleaned_data == {"shown": [SourceFile.objects.get().pk]}


@pytest.mark.contract("30.14")
def test_its_page_shows_a_skill_and_a_persona_of_one_name_that_are_gone(repository, page):
    repository.skill("office/pdf")
    repository.persona("office/pdf.md")
    repository.sync(kind="both", folder="office")
    repository.remove("office")
    repository.sync()

    text = page(repository.source).content.decode()

    assert "<b>pdf</b><span>office/pdf/SKILL.md</span>" in text
    assert "<b>pdf</b><span>office/pdf.md</span>" in text


@pytest.mark.contract("28.8", "30.14")
def test_hidden_characters_of_a_path_are_visible(repository, page):
    repository.skill("skills/\u202ex/pdf")
    repository.skill("skills/\u202ex/csv", run_py="print()")
    repository.sync(folder="skills")
    texts = [page(repository.source).content.decode()]
    repository.remove("skills")
    repository.sync()
    texts.append(page(repository.source, "do/confirm_withdrawals/").content.decode())

    for text, name in zip(texts, ["csv", "pdf"], strict=True):
        assert f"skills/[U+202E]x/{name}/SKILL.md" in text
        assert "\u202e" not in text
