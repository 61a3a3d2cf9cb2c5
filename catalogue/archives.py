"""A skill as a zip: the same bytes on every machine for the same digest (contract 17.8)."""

from zipfile import ZIP_STORED, ZipFile, ZipInfo

SKILL_MD = "SKILL.md"
UNIX = 3  # the system that made it, without which readers ignore the modes
# Bytes of a zip: before each member, in the directory per member, and after the directory.
MEMBER, LISTED, END = 30, 46, 22


def write_zip(file, skill_md, files):
    """SKILL.md first, then the files, as (file, pieces), by path; undated and uncompressed."""
    with ZipFile(file, "w", ZIP_STORED) as zip_file:
        zip_file.writestr(member(SKILL_MD), skill_md)
        for row, pieces in files:
            write_member(zip_file, member(row["path"], is_executable=row["is_executable"]), pieces)


def write_member(zip_file, info, pieces):
    with zip_file.open(info, "w") as output:
        output.writelines(pieces)


def zip_size(skill_md, files):
    """The bytes that `write_zip` writes. Each member's path is in it twice."""
    sizes = {SKILL_MD: len(skill_md.encode())} | {row["path"]: row["size"] for row in files}
    return END + sum(
        MEMBER + LISTED + 2 * len(path.encode()) + size for path, size in sizes.items()
    )


def member(path, *, is_executable=False):
    info = ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
    info.create_system = UNIX
    info.external_attr = (0o100755 if is_executable else 0o100644) << 16
    return info
