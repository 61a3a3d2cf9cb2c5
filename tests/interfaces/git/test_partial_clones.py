"""Clones without the content of files, which git fetches when it needs it (contract 34.32)."""

import pytest

from tests.factories import SkillFactory
from tests.interfaces.git.conftest import address
from tests.interfaces.git.test_git_http import head_of, line, upload
from tests.interfaces.git.test_marketplaces import names

pytestmark = pytest.mark.contract("34.32")
FILES = {"scripts/run.py": b"print(1)\r\n", "data/large.bin": bytes(range(256)) * 8, "empty": b""}


def missing(git, within):
    """The number of objects that the clone knows of and does not have."""
    objects = git("rev-list", "--objects", "--all", "--missing=print", within=within)
    return sum(text.startswith("?") for text in objects.splitlines())


@pytest.fixture
def skill(transactional_db):
    skill = SkillFactory(slug="pdf-tables", content="# First\n", files=FILES)
    skill.content = "# Second\n"
    skill.save()
    return skill


def test_a_clone_without_files_gets_them_when_it_needs_them(live_server_of, git, skill):
    url = address(live_server_of(), "skills/pdf-tables")
    git("clone", "--filter=blob:none", "--no-checkout", url)
    assert missing(git, "pdf-tables") == 5

    git("checkout", within="pdf-tables")
    assert git.files("pdf-tables") == {"SKILL.md": skill.file_text.encode(), **FILES}
    assert missing(git, "pdf-tables") == 1

    assert "-# First" in git("log", "-p", within="pdf-tables")
    assert missing(git, "pdf-tables") == 0
    git("fsck", "--strict", within="pdf-tables")


def test_a_partial_clone_lives_on(live_server_of, git, skill):
    git("clone", "--filter=blob:none", address(live_server_of(), "skills/pdf-tables"))
    skill.content = "# Third\n"
    skill.save()

    git("fetch", within="pdf-tables")
    assert missing(git, "pdf-tables") == 2
    git("gc", "--prune=now", within="pdf-tables")
    git("merge", "--ff-only", "origin/main", within="pdf-tables")

    assert git.files("pdf-tables") == {"SKILL.md": skill.file_text.encode(), **FILES}
    assert missing(git, "pdf-tables") == 1
    git("fsck", "--strict", within="pdf-tables")
    git("fetch", "--refetch", "--no-filter", within="pdf-tables")
    assert missing(git, "pdf-tables") == 0


def test_a_shallow_clone_may_be_partial(live_server_of, git, skill):
    url = address(live_server_of(), "skills/pdf-tables")
    git("clone", "--filter=blob:none", "--depth=1", url)
    git("fetch", "--unshallow", within="pdf-tables")

    assert git.commits("pdf-tables") == ["Version 2", "Version 1"]
    assert missing(git, "pdf-tables") == 1
    git("fsck", "--strict", within="pdf-tables")


def test_a_sparse_checkout_gets_the_files_of_its_folders(live_server_of, git, skill):
    SkillFactory(slug="csv-tables", files={f"{number}.txt": b"%d" % number for number in range(9)})
    url = address(live_server_of(), "catalogue")
    git("clone", "--filter=blob:none", "--sparse", url)
    before = missing(git, "catalogue")

    git("sparse-checkout", "set", "plugins/pdf-tables", within="catalogue")

    # Three manifests, SKILL.md and its files.
    assert before - missing(git, "catalogue") == 3 + 1 + len(FILES)
    folder = git.folder / "catalogue/plugins"
    assert [path.name for path in folder.iterdir()] == ["pdf-tables"]
    assert (folder / "pdf-tables/skills/pdf-tables/empty").read_bytes() == b""
    git("sparse-checkout", "disable", within="catalogue")
    assert names(git.files("catalogue")) == ["csv-tables", "pdf-tables"]


@pytest.mark.parametrize(
    ("spec", "number"),
    [
        ("blob:none", 5),
        ("blob:limit=0", 5),
        ("blob:limit=1", 4),
        ("blob:limit=2048", 1),
        ("blob:limit=2k", 1),
        ("blob:limit=2049", 0),
        ("blob:limit=1m", 0),
        ("blob:limit=1g", 0),
    ],
)
def test_a_filter_leaves_out_blobs_of_some_length(live_server_of, git, skill, spec, number):
    url = address(live_server_of(), "skills/pdf-tables")

    git("clone", f"--filter={spec}", "--bare", url)

    assert missing(git, "pdf-tables.git") == number


@pytest.mark.parametrize(
    "spec",
    [
        *("tree:0", "sparse:oid=main:x", "object:type=blob", "combine:blob:none+tree:0"),
        *("blob:limit=", "blob:limit=-1", "blob:limit=1x", "blob:limit=1kk", "blob", "x"),
    ],
)
def test_another_filter_is_an_error(anyone, skill, spec):
    body = line(f"want {head_of(anyone)} filter\n") + line(f"filter {spec}\n")

    response = upload(anyone, body + b"0000" + line("done\n"))

    assert response.status_code == 200
    assert response.content == line(f"ERR upload-pack: filter '{spec}' not supported")


def test_git_shows_that_a_filter_is_not_supported(live_server_of, git, skill):
    url = address(live_server_of(), "skills/pdf-tables")

    clone = git.attempt("clone", "--filter=tree:0", url)

    assert "remote error: upload-pack: filter 'tree:0' not supported" in clone.stderr


def test_a_filtered_pack_is_not_served_for_another_filter(anyone, skill, downloads):
    head = head_of(anyone)

    def number(*lines):
        first = line(f"want {head} filter\n") + b"".join(map(line, lines))
        pack = upload(anyone, first + b"0000" + line("done\n")).content.partition(b"PACK\0\0\0\2")
        return int.from_bytes(pack[2][:4], "big")

    # Two commits, their roots, and the folders `data` and `scripts`. Five blobs.
    assert number("filter blob:none") == 6
    assert number("filter blob:limit=2k") == 10
    assert number() == 11
