"""The kind of a file by its first bytes, whatever its name."""

import re

# The archives whose members are read (catalogue/archive_members.py).
ZIP, TAR, GZIP, BZIP2, XZ = (
    "zip archive",
    "tar archive",
    "gzip archive",
    "bzip2 archive",
    "xz archive",
)
READABLE = {ZIP, TAR, GZIP, BZIP2, XZ}
BINARIES = [
    (b"PK\3\4", ZIP),
    (b"PK\5\6", ZIP),  # an empty one
    (b"\x1f\x8b", GZIP),
    (b"BZh", BZIP2),
    (b"\xfd7zXZ\0", XZ),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!\x1a\7", "RAR archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (b"\x04\x22\x4d\x18", "LZ4 archive"),
    (b"MSCF", "cabinet archive"),
    (b"!<arch>\n", "ar archive or package"),
    (b"\xed\xab\xee\xdb", "RPM package"),
    (b"xar!", "xar archive"),
    (b"\x7fELF", "executable"),
    (b"MZ", "executable"),
    (b"\xca\xfe\xba\xbe", "Java bytecode or executable"),
    (b"\xcf\xfa\xed\xfe", "executable"),
    (b"\xce\xfa\xed\xfe", "executable"),
    (b"\xfe\xed\xfa\xcf", "executable"),
    (b"\xfe\xed\xfa\xce", "executable"),
    (b"\0asm", "WebAssembly"),
    (b"dex\n", "Android bytecode"),
    (b"BC\xc0\xde", "LLVM bytecode"),
    (b"\x1bLua", "Lua bytecode"),
    (b"\x1bLJ", "Lua bytecode"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"\x80\2", "Python pickle"),
    (b"\x80\3", "Python pickle"),
    (b"\x80\4", "Python pickle"),
    (b"\x80\5", "Python pickle"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office document"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
]
# Each version of Python starts its files with two bytes of its own, CR and LF.
PYTHON_BYTECODE = re.compile(rb"[\s\S]{2}\r\n")
TAR_MAGIC = slice(257, 262)
ZIP_END = b"PK\5\6"
ZIP_TAIL = 22 + 0xFFFF  # bytes at the end of a zip that may hold ZIP_END
# Pictures, fonts, audio and PDF.
MEDIA = re.compile(
    rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|RIFF[\s\S]{4}(?:WEBP|WAVE)|BM[\s\S]{4}\0\0\0\0"
    rb"|\0\0[\x01\x02]\0[\x01-\xff]\0|II\x2a\0|MM\0\x2a|8BPS\0\x01|\xff\x0a|\0\0\0\x0cJXL "
    rb"|\0\0\0\x0cjP  |[\s\S]{4}ftyp(?:avi[fs]|hei[cxms]|mif1|msf1|M4[AB] )"
    rb"|(?:\0\x01\0\0|OTTO|true)\0[\0-\x40]|ttcf\0|wOF[F2]|[\s\S]{8}(?:\0\0\x01\0|[\x01\x02]\0\x02\0)[\s\S]{22}LP"
    rb"|ID3[\x02-\x04]|\xff[\xf0-\xf3\xf8-\xfb]|OggS\0|fLaC|MThd\0\0\0\x06|FORM[\s\S]{4}AIF[FC]|\.snd|%PDF-1\.|%PDF-2\."
)

TEXT = bytes({*range(0x20, 0x7F), *b"\t\n\r"})
SAMPLE = 4096  # bytes
PNG, PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xae\x42\x60\x82"


def as_text(data):
    """The text of a file; None if it is not UTF-8, or has a NUL."""
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def unreadable_kind(data):
    """The kind of a binary file; "" for pictures, fonts, audio and PDF."""
    if data[TAR_MAGIC] == b"ustar":
        return TAR
    if kind := next((kind for start, kind in BINARIES if data.startswith(start)), ""):
        return kind
    is_medium = MEDIA.match(data) is not None
    if PYTHON_BYTECODE.match(data) and not is_medium:
        return "Python bytecode"
    # A picture may have an archive behind it, which programs find from its end.
    if ZIP_END in data[-ZIP_TAIL:]:
        return ZIP
    return disguise_of(data) if is_medium else "binary file"


def disguise_of(medium):
    """What else a picture, font, audio or PDF is by its first bytes; "" if nothing is."""
    start = medium[:SAMPLE]
    others = len(start.translate(None, TEXT))
    if 5 * others < len(start) and not medium.startswith(b"%PDF"):
        return "text that starts like a picture, font or audio"
    if medium.startswith(PNG) and medium.rpartition(PNG_END)[2].strip(b"\0") and PNG_END in medium:
        return "picture with something behind its end"
    return ""
