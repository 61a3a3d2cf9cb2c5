"""A fetch writes the regular files of a ref; anything else is a finding or a failure."""

import errno
import stat

import pytest
from dulwich.objects import ShaFile

from catalogue.frontmatter import Refused
from sources import packed_files
from sources.exceptions import RefIsGone, SourceFails
from tests.interfaces.git.conftest import Git
from tests.sources.upstreams import (
    LINK,
    PROGRAM,
    SUBMODULE,
    served_by_git,
)

SKILL = b"---\nname: pdf-tables\ndescription: Reads tables.\n---\n\nDo it.\n"


@pytest.mark.contract("30.16")
def test_a_ref_becomes_files_with_their_modes(upstream, fetch):
    upstream.commit({"old.txt": b"gone"})
    commit = upstream.commit(
        {"skills/pdf/SKILL.md": SKILL, "skills/pdf/run.sh": (b"#!/bin/sh\n", PROGRAM), "é": b""}
    )
    upstream.tag("v1", commit)
    for ref in ("main", "v1", "refs/heads/main", "refs/tags/v1"):
        result, files = fetch(upstream.url, ref=ref)
        assert (result["commit"], result["findings"], result["rewritten"]) == (commit, [], False)
        assert files == {
            "skills/pdf/SKILL.md": SKILL,
            "skills/pdf/run.sh": b"#!/bin/sh\n",
            "é": b"",
        }
        modes = {
            path.name: stat.S_IMODE(path.stat().st_mode) & stat.S_IXUSR
            for path in result["folder"].rglob("*")
            if path.is_file()
        }
        assert modes == {"SKILL.md": 0, "run.sh": stat.S_IXUSR, "é": 0}


@pytest.mark.contract("30.16")
def test_a_folder_narrows_it_and_keeps_whole_paths(upstream, fetch):
    upstream.commit(
        {"a/b/one.md": b"1", "a/two.md": b"2", "ab/three.md": b"3", "a/SKILL.md": SKILL}
    )
    assert fetch(upstream.url, folder="a/b")[1] == {"a/b/one.md": b"1", "a/SKILL.md": SKILL}
    assert fetch(upstream.url, folder="ab")[1] == {"ab/three.md": b"3"}
    upstream.commit({"cafe\u0301/skill.md": SKILL, "cafe\u0301/o\u0308l/four.md": b"4"})
    paths = {"caf\u00e9/skill.md": SKILL, "caf\u00e9/\u00f6l/four.md": b"4"}
    assert fetch(upstream.url, folder="caf\u00e9/\u00f6l")[1] == paths
    for folder in ("b", "ab/three.md", "ab/c"):
        assert fetch(upstream.url, folder=folder)[1] == {}
    with pytest.raises(RefIsGone, match="no branch or tag next"):
        fetch(upstream.url, ref="next")


@pytest.mark.contract("30.17")
def test_what_is_no_regular_file_is_a_finding(upstream, fetch):
    commit = upstream.commit({"a": b"a"})
    lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"
    upstream.commit(
        {
            "ok.txt": b"ok",
            "link": (b"/etc/passwd", LINK),
            "no\u00a0break/link": (b"x", LINK),
            "sub": (commit.encode(), SUBMODULE),
            "n" * 500: b"",
            "big.bin": lfs,
            "large.bin": b"\0" * (10 * 2**20 + 1),
            "back\\slash": b"",
            "c:colon": b"",
            "\udcff": b"",
            "a/" * 20 + "deep": b"",
            "e\u0301": b"1",
            "\u00e9": b"2",
        }
    )
    result, files = fetch(upstream.url)
    assert files == {"ok.txt": b"ok", "\u00e9": b"1"}
    assert dict(result["findings"]) == {
        "link": "A link, which is not followed.",
        "no\u00a0break/link": "A link, which is not followed.",
        "sub": "A submodule, which is not fetched.",
        "n" * 400: "A path of more than 400 characters.",
        "big.bin": "A pointer of Git LFS, whose file is not fetched.",
        "large.bin": "A file of more than 10 MiB.",
        "back\\slash": "A path that is not allowed, with a backslash.",
        "c:colon": "A path that is not allowed.",
        "\ufffd": "A name that is not UTF-8.",
        "a/" * 20 + "deep": "A path of more than 20 parts.",
        "\u00e9": "Two names are this path in Unicode's normal form C.",
    }


@pytest.mark.contract("30.18")
def test_a_disk_that_fails_is_no_finding(upstream, fetch, monkeypatch):
    def write_file(*_):
        raise Refused from OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(packed_files, "write_file", write_file)
    upstream.commit({"a": b"1"})
    with pytest.raises(OSError, match="No space left"):
        fetch(upstream.url)


@pytest.mark.contract("30.17")
@pytest.mark.parametrize("name", ["..", ".", "a/b", "../../up", "x\0y".replace("\0", "\\")])
def test_a_tree_writes_nothing_outside_of_its_folder(upstream, fetch, tmp_path, name):
    blob, mode = upstream.entry(b"evil")
    upstream.store.add_object(tree := raw_tree([(name, mode, blob), ("ok", mode, blob)]))
    upstream.store.add_object(root := raw_tree([("sub", 0o40000, tree.id)]))
    upstream.commit_tree(root.id)
    result, files = fetch(upstream.url)
    assert files == {"sub/ok": b"evil"}
    [[path, sentence]] = result["findings"]
    assert (path, sentence[:26]) == (f"sub/{name}", "A path that is not allowed")
    assert {path.name for path in tmp_path.rglob("*")} == {
        "run-0",
        "fetched.pack",
        "files",
        "sub",
        "ok",
    }


def raw_tree(entries):
    data = b"".join(
        b"%o %s\0%s" % (mode, name.encode(), bytes.fromhex(sha.decode()))
        for name, mode, sha in entries
    )
    return ShaFile.from_raw_string(2, data)


@pytest.mark.contract("30.18")
def test_a_tree_that_repeats_itself_ends(upstream, fetch, monkeypatch):
    monkeypatch.setattr(packed_files, "MAX_ENTRIES", 400)
    sha, mode = upstream.entry(b"")
    for _ in range(10):
        upstream.store.add_object(tree := raw_tree([(f"{n:02}", mode, sha) for n in range(30)]))
        sha, mode = tree.id, 0o40000
    upstream.commit_tree(sha)
    with pytest.raises(SourceFails, match="more than 400 files and folders"):
        fetch(upstream.url)


@pytest.mark.contract("30.19")
def test_a_rewritten_history_is_said(tmp_path, settings, fetch):
    git = Git(tmp_path)

    def commit(*options):
        person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
        git(*person, "commit", "--quiet", "--allow-empty", "-m", "Change", *options, within="up")
        return git("rev-parse", "HEAD", within="up").strip()

    git("init", "--quiet", "--initial-branch=main", "up")
    first, known, grown = commit(), commit(), commit()
    git("tag", "v1", within="up")
    with served_by_git(tmp_path) as url:
        settings.SOURCE_HOSTS = [url.split("/")[2]]

        def is_rewritten(before, ref="main"):
            return fetch(f"{url}/up", before, ref=ref)[0]["rewritten"]

        assert not any(map(is_rewritten, ["", first, known, grown]))
        assert is_rewritten("1" * 40)
        git("reset", "--quiet", "--hard", known, within="up")
        assert is_rewritten(grown)
        commit("--amend", "-m", "Another")
        assert [is_rewritten(before) for before in (first, known, grown)] == [False, True, True]
        assert not is_rewritten(known, ref="v1")


@pytest.mark.contract("30.19")
def test_a_server_that_does_not_tell_has_rewritten_nothing(upstream, fetch):
    upstream.commit({"a": b"1"})
    assert fetch(upstream.url, "1" * 40)[0]["rewritten"] is False
