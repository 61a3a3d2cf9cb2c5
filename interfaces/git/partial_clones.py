"""Partial clones: the blobs that a client leaves out, and the objects that it wants one by one.

All repositories share their objects, so a want opens only what is in this repository's commits.
"""

import re
import zlib
from itertools import pairwise
from typing import NamedTuple

from dulwich.objects import Tree, parse_tree

from interfaces.git import sql, store
from interfaces.git.exceptions import RepositoryChanged
from interfaces.git.sql import rows_of

FILTER = re.compile(rb"blob:(?:none|limit=(\d{1,18})([kmg]?))")
LAST = 0x80  # The last byte of a header is smaller.
UNITS = {b"": 1, b"k": 1024, b"m": 1024**2, b"g": 1024**3}


class PackedObject(NamedTuple):
    sha: bytes
    size: int  # in a pack
    header: bytes  # how it begins in a pack, which tells its kind and its length

    @property
    def is_tree(self):
        return self.header[0] >> 4 & 7 == Tree.type_num

    @property
    def length(self):
        """The bytes of its content."""
        length, shift = self.header[0] & 0x0F, 4
        for previous, byte in pairwise(self.header):
            if previous < LAST:
                break
            length |= (byte & 0x7F) << shift
            shift += 7
        return length


def limit_of(spec):
    """The length from which blobs are left out. None if there is no such filter."""
    match = FILTER.fullmatch(spec)
    return match and int(match[1] or 0) * UNITS[match[2] or b""]


def objects_in(repository, shas):
    """The PackedObject of those of the shas that are in a commit of the repository, by sha."""
    return keyed(rows_of(sql.PRESENT_HEADERS, [shas, repository.id]))


def without_blobs(objects, limit):
    """Those of the objects, pairs of sha and size, that are trees or shorter than the limit."""
    headers = headers_of([sha for sha, _ in objects])
    return [pair for pair in objects if headers[pair[0]].is_tree or headers[pair[0]].length < limit]


def objects_below(objects):
    """All that is in the trees of these: read level by level, not folder by folder."""
    below, level = {}, objects
    while trees := [(found.sha, found.size) for found in level if found.is_tree]:
        shas = {sha for data in store.read_objects(trees) for sha in shas_in(data)}
        level = headers_of(shas - below.keys()).values()
        below |= {found.sha: found for found in level}
    return [(found.sha, found.size) for found in below.values()]


def shas_in(tree):
    end_of_header = next(place for place, byte in enumerate(tree, 1) if byte < LAST)
    entries = parse_tree(zlib.decompress(tree[end_of_header:]), sha_len=20)
    return [bytes.fromhex(sha.decode()) for _, _, sha in entries]


def headers_of(shas):
    headers = keyed(rows_of(sql.HEADERS, [list(shas)]))
    if len(headers) < len(shas):
        raise RepositoryChanged
    return headers


def keyed(rows):
    return {bytes(sha): PackedObject(bytes(sha), size, bytes(header)) for sha, size, header in rows}
