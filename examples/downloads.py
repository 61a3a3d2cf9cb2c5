"""Verify and unpack what you downloaded; agent.py and startup.py import this.

Run:  python downloads.py archive.zip     (or SKILL.md: it prints the digest)
"""

import hashlib
import io
import sys
import zipfile
from pathlib import Path


def digest_of(data):
    """The digest of a SKILL.md or a persona; for an archive.zip, that of the folder in it."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        archive = zipfile.ZipFile(io.BytesIO(data))
        items = sorted(archive.infolist(), key=lambda item: item.filename.encode())
        data = "".join(line_of(item, archive.read(item)) for item in items).encode()
    return "sha256:" + hashlib.sha256(data).hexdigest()


def line_of(item, data):
    """The line that `sha256sum` writes; an executable file has an asterisk."""
    mark = "*" if item.external_attr >> 16 & 0o111 else " "
    return f"{hashlib.sha256(data).hexdigest()} {mark}{item.filename}\n"


def unpack(data, folder):
    folder.mkdir(parents=True, exist_ok=True)
    if zipfile.is_zipfile(io.BytesIO(data)):
        archive = zipfile.ZipFile(io.BytesIO(data))
        for item in archive.infolist():
            is_executable = item.external_attr >> 16 & 0o111
            Path(archive.extract(item, folder)).chmod(0o755 if is_executable else 0o644)
    else:
        (folder / "SKILL.md").write_bytes(data)


if __name__ == "__main__":
    print(digest_of(Path(sys.argv[1]).read_bytes()))
