"""A skill's folder as a zip: the same bytes on every machine for the same digest (lifecycle 15)."""

from io import BytesIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

SKILL_MD = "SKILL.md"
UNIX = 3  # the system that made it: readers then take the modes for what they are


def archive_of(skill_md, files):
    """SKILL.md first, then the files, as (file, bytes), by path; undated and uncompressed."""
    written = BytesIO()
    with ZipFile(written, "w", ZIP_STORED) as archive:
        archive.writestr(member(SKILL_MD), skill_md)
        for file, data in files:
            info = member(file["path"], is_executable=file["is_executable"])
            archive.writestr(info, data)
    return written.getvalue()


def member(path, *, is_executable=False):
    info = ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
    info.create_system = UNIX
    info.external_attr = (0o100755 if is_executable else 0o100644) << 16
    return info
