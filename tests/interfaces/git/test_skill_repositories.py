"""skills/<slug>.git: a skill's folder, with a commit and a tag for each version (contract 27)."""

import pytest
from django.core.management import call_command

from tests.factories import SkillFactory
from tests.interfaces.git.conftest import address

FILES = {"scripts/run.py": b"print(1)\r\n", "data/é #1.bin": bytes(range(256)), "empty": b""}


def pdf_tables(*contents):
    skill = SkillFactory(slug="pdf-tables", content="# Tables\n", files=FILES)
    for content in contents:
        skill.content = content
        skill.save()
    return skill


@pytest.mark.contract("27.1")
def test_it_is_the_folder_of_the_skill(live_server_of, git):
    skill = pdf_tables()

    git("clone", address(live_server_of(), "skills/pdf-tables"))

    assert git.files("pdf-tables") == {"SKILL.md": skill.file_text.encode(), **FILES}
    modes = git("ls-tree", "-r", "HEAD", "scripts/run.py", "empty", within="pdf-tables")
    assert [line[:6] for line in modes.splitlines()] == ["100644", "100755"]
    git("fsck", "--strict", within="pdf-tables")


@pytest.mark.contract("27.1")
def test_a_file_that_some_disks_take_for_one_of_git_is_left_out(live_server_of, git):
    """Windows knows .gitmodules and .gitattributes by these names, too, and git checks them."""
    submodule = b'[submodule "../x"]\n\tpath = -x\n\turl = -u\n'
    names = ["GITMOD~1", "gi7eba~1", "gi7e~123", "g~123456", "~1234567", "git~1"]
    files = dict.fromkeys(names, submodule) | {"gitatt~1": b"a" * 3000, "gift~1.txt": b""}
    SkillFactory(slug="pdf-tables", files=files)

    git("clone", address(live_server_of(), "skills/pdf-tables"))

    assert sorted(git.files("pdf-tables")) == ["SKILL.md", "gift~1.txt"]
    git("fsck", "--strict", within="pdf-tables")


@pytest.mark.contract("27.1")
def test_large_files_and_names_with_a_dot_are_in_it(live_server_of, git):
    names = [".eslintrc", "templates/_rels/.rels", ".env.example", ".a/b"]
    large = {"a.bin": bytes(range(256)) * 12_000, "b.bin": bytes(3 * 1024 * 1024)}
    files = dict.fromkeys(names, b"x") | large
    skill = SkillFactory(slug="pdf-tables", files=files)

    git("clone", address(live_server_of(), "skills/pdf-tables"))

    assert git.files("pdf-tables") == {"SKILL.md": skill.file_text.encode(), **files}
    git("fsck", "--strict", within="pdf-tables")


@pytest.mark.contract("27.1")
def test_each_version_is_a_commit_with_a_tag(live_server_of, git):
    pdf_tables("# Second\n", "# Third\n")

    git("clone", address(live_server_of(), "skills/pdf-tables"))

    assert git.commits("pdf-tables") == ["Version 3", "Version 2", "Version 1"]
    tags = git(
        "tag", "--list", "--format=%(refname:short) %(contents:subject)", within="pdf-tables"
    )
    assert tags.splitlines() == ["v1 Version 1", "v2 Version 2", "v3 Version 3"]
    assert "# Second" in git("show", "v2:SKILL.md", within="pdf-tables")
    git("fsck", "--strict", within="pdf-tables")


@pytest.mark.contract("27.1")
def test_a_commit_bears_the_time_of_its_version(live_server_of, git):
    skill = pdf_tables()

    git("clone", address(live_server_of(), "skills/pdf-tables"))

    [version] = skill.versions.all()
    times = git("log", "--format=%at %ct", within="pdf-tables").split()
    assert times == [str(int(version.created_at.timestamp()))] * 2


@pytest.mark.contract("27.2")
def test_a_fetch_brings_what_was_published_since(live_server_of, git):
    skill = pdf_tables()
    url = address(live_server_of(), "skills/pdf-tables")
    git("clone", url)
    skill.content = "# Second\n"
    skill.save()

    git("pull", "--ff-only", within="pdf-tables")

    assert git.commits("pdf-tables") == ["Version 2", "Version 1"]
    assert git("tag", within="pdf-tables").split() == ["v1", "v2"]
    git("fsck", "--strict", within="pdf-tables")


@pytest.mark.contract("27.2", "27.10")
def test_a_project_with_a_long_history_can_fetch_it(live_server_of, git):
    """git names more and more commits of the project, and would exceed the limit of a request."""
    pdf_tables()
    git("init", "--quiet", "project")
    commit = "commit refs/heads/main\ncommitter x <x@x> {} +0000\ndata 0\n\n"
    commits = "".join(commit.format(1_700_000_000 + number) for number in range(8000))
    git("fast-import", "--quiet", within="project", stdin=commits)

    server = live_server_of(RATE_LIMIT_CLONE="8/h")  # more requests are not needed
    git("fetch", address(server, "skills/pdf-tables"), "main:tables", within="project")

    assert git("log", "--format=%s", "tables", within="project") == "Version 1\n"
    git("fsck", "--strict", within="project")


@pytest.mark.contract("27.2")
def test_a_shallow_clone_can_be_deepened(live_server_of, git):
    pdf_tables("# Second\n", "# Third\n")
    url = address(live_server_of(), "skills/pdf-tables")

    git("clone", "--depth", "1", url)
    shallow = git.commits("pdf-tables")
    git("fetch", "--depth", "2", within="pdf-tables")
    deeper = git.commits("pdf-tables")
    git("fetch", "--unshallow", within="pdf-tables")

    assert (shallow, deeper) == (["Version 3"], ["Version 3", "Version 2"])
    assert git.commits("pdf-tables") == ["Version 3", "Version 2", "Version 1"]
    git("fsck", "--strict", within="pdf-tables")


@pytest.mark.contract("27.2")
def test_a_shallow_clone_can_be_deepened_by_some_commits(live_server_of, git):
    pdf_tables("# Second\n", "# Third\n", "# Fourth\n")
    git("clone", "--depth", "1", address(live_server_of(), "skills/pdf-tables"))

    numbers = []
    for count in (1, 1, 5):
        git("fetch", "--deepen", str(count), within="pdf-tables")
        numbers.append(len(git.commits("pdf-tables")))

    assert numbers == [2, 3, 4]
    git("fsck", "--strict", within="pdf-tables")
    assert not (git.folder / "pdf-tables/.git/shallow").exists()


@pytest.mark.contract("27.2")
def test_a_shallow_clone_can_be_updated(live_server_of, git):
    skill = pdf_tables("# Second\n")
    git("clone", "--depth", "1", address(live_server_of(), "skills/pdf-tables"))
    skill.content = "# Third\n"
    skill.save()

    git("pull", "--ff-only", within="pdf-tables")

    assert git.commits("pdf-tables") == ["Version 3", "Version 2"]
    git("fsck", "--strict", within="pdf-tables")


def test_a_shallow_clone_gets_a_text_that_is_published_again(live_server_of, git):
    """It has the commit after the one that had the text before."""
    skill = pdf_tables("# Second\n")
    git("clone", "--depth", "1", address(live_server_of(), "skills/pdf-tables"))
    skill.content = "# Tables\n"
    skill.save()

    git("pull", "--ff-only", within="pdf-tables")

    assert b"# Tables" in git.files("pdf-tables")["SKILL.md"]
    git("fsck", "--strict", within="pdf-tables")


@pytest.mark.contract("27.1")
def test_a_tag_is_cloned_by_its_name(live_server_of, git):
    pdf_tables("# Second\n")
    url = address(live_server_of(), "skills/pdf-tables")

    git("clone", "--depth", "1", "--branch", "v1", url)

    assert b"# Tables" in git.files("pdf-tables")["SKILL.md"]


@pytest.mark.contract("27.1")
def test_a_recalled_version_loses_its_tag(live_server_of, git):
    skill = pdf_tables("# Second\n")
    server = live_server_of()
    before = git("ls-remote", address(server, "skills/pdf-tables")).splitlines()

    skill.versions.get(number=1).recall("It leaks.")

    after = git("ls-remote", address(server, "skills/pdf-tables")).splitlines()
    assert [line for line in before if not line.endswith("refs/tags/v1")] == after
    assert len(before) == len(after) + 1


@pytest.mark.contract("27.7")
def test_a_purge_begins_the_history_anew(live_server_of, git):
    pdf_tables("# Second\n", "# Third\n")
    url = address(live_server_of(), "skills/pdf-tables")
    git("clone", url, "before")

    call_command("purge_version", "skill", "pdf-tables", "1", reason="The law")

    git("clone", url, "after")
    assert git.commits("after") == ["Version 3", "Version 2"]
    blob = git("rev-parse", "v1:SKILL.md", within="before").strip()
    assert git.attempt("cat-file", "-e", blob, within="after").returncode != 0
    commit = git("rev-parse", "v1", within="before").strip()
    refused = git.attempt("fetch", url, commit, within="after")
    assert f"not our ref {commit}" in refused.stderr


@pytest.mark.contract("27.2")
def test_a_withdrawn_skill_is_gone(live_server_of, git):
    skill = pdf_tables()
    server = live_server_of()
    git("ls-remote", address(server, "skills/pdf-tables"))

    skill.withdraw()

    path = "/git/skills/pdf-tables.git/info/refs?service=git-upload-pack"
    response = server.request("GET", path)
    assert (response.status, response.json()) == (404, {"error": "Skill not found"})
