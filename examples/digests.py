"""How to verify what you downloaded: the digest of a skill, computed as the marketplace does.

Run:  python digests.py SKILL.md     or     python digests.py archive.zip
"""

import hashlib
import io
import sys
import zipfile
from pathlib import Path


def digest_of(data):
    """The digest of a SKILL.md or a prompt; of an archive.zip, that of the folder in it."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        archive = zipfile.ZipFile(io.BytesIO(data))
        items = sorted(archive.infolist(), key=lambda item: item.filename.encode())
        data = "".join(line_of(item, archive.read(item)) for item in items).encode()
    return "sha256:" + hashlib.sha256(data).hexdigest()


def line_of(item, data):
    """The line that `sha256sum` writes; an executable file has an asterisk."""
    is_executable = item.external_attr >> 16 & 0o111
    mark = "*" if is_executable else " "
    return f"{hashlib.sha256(data).hexdigest()} {mark}{item.filename}\n"


if __name__ == "__main__":
    print(digest_of(Path(sys.argv[1]).read_bytes()))
