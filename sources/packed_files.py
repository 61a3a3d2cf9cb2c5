"""The files of a commit in a pack, written below a folder."""

import errno
import io
import re
import stat
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import chain

from dulwich.object_format import DEFAULT_OBJECT_FORMAT
from dulwich.objects import parse_tree
from dulwich.pack import MemoryPackIndex, Pack, PackData

from catalogue.frontmatter import Refused
from importing.members import MAX_FILE, MAX_PATH, MIB, Member, problem_of_path, write_file
from importing.names import is_skill_md, normalized
from sources.exceptions import SourceFails

MAX_OBJECTS = 200_000  # in a pack
MAX_ENTRIES = 50_000  # files and folders of a tree
MAX_TAGS = 10  # that lead to one another
COMMIT, TREE, TAG = 1, 2, 4
TREE_OF, OBJECT_OF = (re.compile(word + rb" ([0-9a-f]{40})\n") for word in (b"tree", b"object"))
LFS = b"version https://git-lfs.github.com/spec/"
MAX_POINTER = 1024  # bytes
# The reason not to write an entry of this kind, or "". 0o160000 is git's own kind.
KINDS = {
    stat.S_IFREG: "",
    stat.S_IFDIR: "",
    stat.S_IFLNK: "A link, which is not followed.",
    0o160000: "A submodule, which is not fetched.",
}
# Errors of a disk that refuses a name, or has a file and a folder of one name.
REFUSED_NAMES = {
    *(errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ),
}
UNKNOWN = "Neither a file nor a folder."


@contextmanager
def opened(path):
    """The pack in a file, with all deltas resolved. Raises dulwich's errors, or SourceFails."""
    with PackData(path, DEFAULT_OBJECT_FORMAT) as data:
        if len(data) > MAX_OBJECTS:
            raise SourceFails(f"The ref has more than {MAX_OBJECTS:,} files and folders.")
        data.check()
        with Pack.from_objects(data, MemoryPackIndex.for_pack(data)) as pack:
            yield pack


class PackedFiles:
    """The files of the commit that the object `sha` is, or leads to.

    Methods raise SourceFails, and dulwich's own errors for a damaged pack.
    """

    def __init__(self, pack, sha):
        self.pack = pack
        self.commit = self.peeled(sha)
        self.findings = []  # (path, sentence) of what is not written
        self.paths = set()

    def peeled(self, sha):
        for _ in range(MAX_TAGS):
            kind, data = self.pack.get_raw(sha)
            if kind == COMMIT:
                return sha
            if kind != TAG:
                break
            sha = OBJECT_OF.match(data)[1]
        raise SourceFails("The ref leads to no commit.")

    def write(self, folder, root, room):
        """Write the regular files of a folder ("" is the whole commit) below the root.

        They have at most `room` bytes. Above the folder, only a SKILL.md is written, because the
        files of a skill are no personas. Without the folder, nothing is.
        """
        for path, mode, sha in self.files_in(folder):
            data = self.pack.get_raw(sha)[1]
            if sentence := reason_to_refuse(data):
                self.findings.append((path, sentence))
                continue
            room -= len(data)
            if room < 0:
                raise SourceFails("The files of the ref are too large. Name a folder.")
            self.write_one(path, mode, data, root)

    def files_in(self, folder):
        """`(path, mode, sha)` of each file to write."""
        tree, above, marks = TREE_OF.match(self.pack.get_raw(self.commit)[1])[1], "", []
        for part in filter(None, folder.split("/")):
            entries = {
                normalized(name.decode(errors="replace")): (mode, sha)
                for name, mode, sha in self.entries(tree)
            }
            marks += [
                (f"{above}{name}", mode, sha)
                for name, (mode, sha) in entries.items()
                if is_skill_md(name) and stat.S_ISREG(mode)
            ]
            mode, tree = entries.get(part, (0, None))
            if not stat.S_ISDIR(mode):
                return []
            above += f"{part}/"
        return chain(marks, self.regular_files(tree, folder))

    def write_one(self, path, mode, data, root):
        member = Member(
            path,
            partial(nullcontext, io.BytesIO(data)),
            is_executable=bool(mode & stat.S_IXUSR),
        )
        try:
            write_file(member, root, MAX_FILE)
        except Refused as refusal:
            if refusal.__cause__.errno not in REFUSED_NAMES:
                raise refusal.__cause__ from None  # A full disk, for example.
            self.findings.append((path, "A file that cannot be written."))

    def regular_files(self, tree, folder):
        """`(path, mode, sha)` of each. The other entries become findings."""
        waiting, number = [(folder, tree)], 0
        while waiting:
            above, tree = waiting.pop()
            for name, mode, sha in self.entries(tree):
                number += 1
                if number > MAX_ENTRIES:
                    raise SourceFails(
                        f"The ref has more than {MAX_ENTRIES:,} files and folders. Name a folder."
                    )
                path = normalized("/".join(filter(None, [above, name.decode(errors="replace")])))
                if sentence := self.reason_to_leave_out(name, path, mode):
                    self.findings.append((path[:MAX_PATH], sentence))
                elif stat.S_ISDIR(mode):
                    waiting.append((path, sha))
                else:
                    yield path, mode, sha

    def entries(self, tree):
        kind, data = self.pack.get_raw(tree)
        if kind != TREE:
            raise ValueError("a folder is no tree")
        return parse_tree(data, 20)

    def reason_to_leave_out(self, name, path, mode):
        """The reason not to write an entry of a tree, in one sentence, or ""."""
        if sentence := KINDS.get(stat.S_IFMT(mode), UNKNOWN):
            return sentence
        try:
            name.decode()
        except UnicodeDecodeError:
            return "A name that is not UTF-8."
        problem = "a path that is not allowed" if b"/" in name else problem_of_path(path)
        if problem:
            return f"{problem[0].upper()}{problem[1:]}."
        if path in self.paths:
            return "Two names are this path in Unicode's normal form C."
        self.paths.add(path)
        return ""


def reason_to_refuse(data):
    """The reason not to write the bytes of a file, in one sentence, or ""."""
    if len(data) > MAX_FILE:
        return f"A file of more than {MAX_FILE // MIB} MiB."
    if len(data) <= MAX_POINTER and data.startswith(LFS):
        return "A pointer of Git LFS, whose file is not fetched."
    return ""
