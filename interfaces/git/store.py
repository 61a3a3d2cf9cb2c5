"""The history of a repository in PostgreSQL, and the objects of its commits.

A history is linear. It grows when somebody fetches: if the content has changed since the last
fetch, that makes one more commit. Commits never change, so every process and every
host serves the same commits. Only a purge ends one (schema/forgotten.sql).
"""

import zlib
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha1
from typing import NamedTuple

from django.db import transaction
from dulwich import objects as git
from dulwich.index import commit_tree
from dulwich.object_store import MemoryObjectStore
from dulwich.pack import pack_object_header

from catalogue.models import FileContent
from catalogue.models.files import batches
from interfaces.git import sql
from interfaces.git.exceptions import RepositoryChanged
from interfaces.git.models import (
    DEFAULT_NAME,
    Commit,
    Held,
    MarketplaceName,
    Object,
    Presence,
    Repository,
)
from interfaces.git.sql import rows_of
from marketplace.large_values import PIECE, large_value, read_in_pieces

AUTHOR = b"Agent marketplace <marketplace@localhost>"
OPEN = 2**31 - 1  # the `last` of objects in the newest tree
ROWS = 2000  # that one statement inserts
FAST = 1  # level of compression


class GitFile(NamedTuple):
    """Bytes, or the digest of stored ones."""

    data: bytes | None = None
    digest: str | None = None
    is_executable: bool = False


@dataclass
class Snapshot:
    """The content of a commit: `files` by path. `versions` are those it shows, as (kind, id)."""

    files: dict
    message: str
    versions: set
    made_at: datetime
    version: int | None = None


@dataclass
class Changes:
    """Rows that an advance of a repository writes at its end."""

    present: dict  # the first commit of each object in the newest tree, by sha
    objects: dict = field(default_factory=dict)  # kind and data by sha
    commits: list = field(default_factory=list)
    closed: list = field(default_factory=list)
    versions: set = field(default_factory=set)


def marketplace_name():
    return MarketplaceName.objects.values_list("name", flat=True).first() or DEFAULT_NAME


def repository_of(source):
    """The row of the repository, with a commit of all that the source holds now."""
    repository = Repository.objects.filter(name=source.name).first()
    if repository is None or repository.state != source.state():
        repository = advance(source)
    return repository


@transaction.atomic
def advance(source):
    rows_of(sql.PATIENCE)
    rows_of(sql.SHARE)
    Repository.objects.bulk_create([Repository(name=source.name)], ignore_conflicts=True)
    # Waits for a process that makes a commit.
    repository = Repository.objects.select_for_update().get(name=source.name)
    # Read again: another process may have made the commit meanwhile.
    source.read()
    state = source.state()
    if repository.state == state:
        return repository
    repository.number, repository.head = append(repository, source.snapshots(repository))
    repository.state = state
    repository.save()
    return repository


def append(repository, snapshots):
    """Make a commit of each snapshot. Returns the number and the sha of the last one."""
    number, head = repository.number, repository.head and bytes(repository.head)
    present = Presence.objects.filter(repository=repository, last=OPEN)
    changes = Changes({bytes(sha): first for sha, first in present.values_list("sha", "first")})
    blobs = blobs_of({file.digest for shot in snapshots for file in shot.files.values()} - {None})
    for snapshot in snapshots:
        number += 1
        root = write_tree(snapshot.files, blobs, objects := {})
        note_presence(changes, objects, number)
        data, sha = commit_of(snapshot, root, head)
        changes.commits.append(
            Commit(
                repository=repository,
                number=number,
                sha=sha,
                data=data,
                version=snapshot.version,
            )
        )
        changes.versions |= snapshot.versions
        head = sha
    write(repository, changes)
    return number, head


def write_tree(files, blobs, objects):
    """The sha of the root folder, in hex. Adds everything in it to `objects`."""
    modes = {True: 0o100755, False: 0o100644}
    entries = (
        (path.encode(), write_blob(file, blobs, objects), modes[file.is_executable])
        for path, file in files.items()
    )
    root = commit_tree(trees := MemoryObjectStore(), entries)
    for sha in trees:
        objects[bytes.fromhex(sha.decode())] = git.Tree.type_num, trees[sha].as_raw_string()
    return root


def write_blob(file, blobs, objects):
    if file.digest:
        sha = blobs[file.digest]
        objects[sha] = git.Blob.type_num, None  # stored by `blobs_of`
        return sha.hex().encode()
    blob = git.Blob.from_string(file.data)
    objects[bytes.fromhex(blob.id.decode())] = git.Blob.type_num, file.data
    return blob.id


def blobs_of(digests):
    """The sha of each stored text or file. Texts that are new to git are read once."""
    blobs = {content: bytes(sha) for content, sha in rows_of(sql.STORED, [list(digests)])}
    sizes = rows_of(sql.SIZES, [sorted(digests - blobs.keys())])
    new = [{"digest": digest, "size": size} for digest, size in sizes]
    small = [file for file in new if file["size"] <= PIECE]
    for batch in batches(FileContent.objects.read(small), lambda item: item[0]["size"]):
        rows = []
        for file, pieces in batch:
            data = b"".join(pieces)
            blobs[file["digest"]] = sha = bytes.fromhex(git.Blob.from_string(data).id.decode())
            rows.append(object_of(sha, git.Blob.type_num, data, file["digest"]))
        Object.objects.bulk_create(rows, ROWS, ignore_conflicts=True)
    large = [file for file in new if file["size"] > PIECE]
    for file, pieces in FileContent.objects.read(large):
        blobs[file["digest"]] = store_in_pieces(file, pieces)
    return blobs


def store_in_pieces(file, pieces):
    """Store the blob of a large file, and return its sha."""
    sha = sha1(b"blob %d\0" % file["size"], usedforsecurity=False)
    compressor, sizes = zlib.compressobj(FAST), []

    def in_pack():
        yield bytes(pack_object_header(git.Blob.type_num, None, file["size"], None))
        for piece in pieces:
            sha.update(piece)
            yield compressor.compress(piece)
        yield compressor.flush()

    def counted():
        for piece in in_pack():
            sizes.append(len(piece))
            yield piece

    with large_value(counted()) as data:
        row = Object(sha=sha.digest(), size=sum(sizes), data=data, content=file["digest"])
        Object.objects.bulk_create([row], ignore_conflicts=True)
    return row.sha


def object_of(sha, kind, data, content=None):
    in_pack = packed(kind, data)
    return Object(sha=sha, size=len(in_pack), data=in_pack, content=content)


def packed(kind, data):
    return bytes(pack_object_header(kind, None, len(data), None)) + zlib.compress(data, FAST)


def note_presence(changes, objects, number):
    for sha in changes.present.keys() - objects.keys():
        changes.closed.append((sha, changes.present.pop(sha), number - 1))
    for sha in objects.keys() - changes.present.keys():
        changes.present[sha] = number
        changes.objects[sha] = objects[sha]


def commit_of(snapshot, root, parent):
    commit = git.Commit()
    commit.tree = root
    commit.parents = [parent.hex().encode()] if parent else []
    commit.author = commit.committer = AUTHOR
    commit.author_time = commit.commit_time = int(snapshot.made_at.timestamp())
    commit.author_timezone = commit.commit_timezone = 0
    commit.message = f"{snapshot.message}\n".encode()
    return commit.as_raw_string(), bytes.fromhex(commit.id.decode())


def write(repository, changes):
    """Insert all rows. Objects are sorted, so that two transactions never wait for each other."""
    objects = sorted(changes.objects.items())
    rows = [object_of(sha, kind, data) for sha, (kind, data) in objects if data is not None]
    Object.objects.bulk_create(rows, ROWS, ignore_conflicts=True)
    Commit.objects.bulk_create(changes.commits, ROWS)
    opened = [
        (sha, first, OPEN) for sha, first in changes.present.items() if first > repository.number
    ]
    Presence.objects.bulk_create(
        [
            Presence(repository=repository, sha=sha, first=first, last=last)
            for sha, first, last in [*changes.closed, *opened]
        ],
        ROWS,
        update_conflicts=True,
        unique_fields=["repository", "sha", "first"],
        update_fields=["last"],
    )
    held = [Held(repository=repository, kind=kind, version_id=pk) for kind, pk in changes.versions]
    Held.objects.bulk_create(held, ROWS, ignore_conflicts=True)


def commits_of_versions(repository):
    """The sha of the commit of each version of a skill."""
    commits = Commit.objects.filter(repository=repository).values_list("version", "sha")
    return {version: bytes(sha) for version, sha in commits}


def numbers_of(repository, shas):
    """The numbers of those of the shas that are commits of the repository."""
    rows = rows_of(sql.NUMBERS, [repository.id, list(shas)])
    return {bytes(sha): number for sha, number in rows}


def shas_of(repository, numbers):
    commits = Commit.objects.filter(repository=repository, number__in=numbers)
    return {number: bytes(sha) for number, sha in commits.values_list("number", "sha")}


def objects_of(repository, parts, known_numbers):
    """`[(sha, size)]` of the objects in the commits of `parts` that no known commit has.

    `parts` are pairs of the first and the last number.
    """
    first, last = map(list, zip(*parts, strict=True))
    rows = rows_of(sql.OBJECTS, [first, last, repository.id, list(known_numbers), repository.id])
    return [(bytes(sha), size) for sha, size in rows]


def commits_in(repository, parts):
    """Read them after their objects: if a purge has deleted either, RepositoryChanged is raised."""
    first, last = map(list, zip(*parts, strict=True))
    rows = rows_of(sql.COMMITS, [first, last, repository.id])
    if len(rows) < sum(last) - sum(first) + len(parts):
        raise RepositoryChanged
    return [bytes(data) for (data,) in rows]


def read_objects(rows):
    """The bytes of each object. At most two batches are in memory at a time."""
    for batch in batches(rows, lambda row: row[1]):
        if batch[0][1] > PIECE:
            yield from read_large(batch[0][0])
            continue
        contents = rows_of(sql.DATA, [[sha for sha, _ in batch]])
        if len(contents) < len(batch):
            raise RepositoryChanged
        for (data,) in contents:
            yield bytes(data)


def read_large(sha):
    try:
        yield from read_in_pieces(Object.objects.filter(sha=sha), "data")
    except Object.DoesNotExist as error:
        raise RepositoryChanged from error
