"""Slugs and titles made from the names that people write."""

import re
import unicodedata

from anyascii import anyascii

from marketplace.models import SLUG

MAX_SLUG = 64  # characters of one that is made
MAX_TITLE = 200
# As German spells them. Turkish, whose other letters give it away, only drops the dots.
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
TURKISH = set("çğışÇĞİŞ")
# Signs that tell names apart, which would be hyphens otherwise: C++, C#, R&D, .NET.
SPELLED = {
    r"(?<=\b[a-z])#|(?<=[a-z0-9])#(?!\d)": " sharp ",
    r"(?<![a-z0-9.])\.(?=[a-z])": " dot",
    r"\+": " plus ",
    r"&+": " and ",
    "@": " at ",
    r"(?<=\d) ?%": " percent ",
}


def is_slug(text):
    """Whether a text can be a slug. Check before a query: PostgreSQL rejects some other texts."""
    return re.fullmatch(SLUG, text) is not None


def slug_of(name):
    """The slug that a name asks for: itself, however long, or the nearest one."""
    return name if is_slug(name) else as_slug(name)


def as_slug(name):
    """The nearest slug: lower case, ASCII, hyphens; "" if nothing of the name is left."""
    name = unicodedata.normalize("NFC", name)
    if TURKISH.isdisjoint(name):
        name = name.translate(UMLAUTS)
    name = "".join(map(in_ascii, name)).lower().replace("'", "")
    for sign, word in SPELLED.items():
        name = re.sub(sign, word, name)
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-")[:MAX_SLUG].strip("-")


def in_ascii(character):
    """A character in ASCII letters, as far as it has a sound: an emoji has none."""
    if character.isascii():
        return character
    text = anyascii(character)
    if unicodedata.category(character) == "So" or text.startswith(":"):
        return " "
    # A Chinese or Korean character is a syllable with a capital: BaoGuo.
    is_syllable = unicodedata.category(character) == "Lo" and text[:1].isupper()
    return f" {text} " if is_syllable else text.replace("`", "")


# Acronyms in slugs. Those that are also words (it, us, add) are left out.
ACRONYMS = {
    *("ai", "api", "aws", "ci", "cd", "cli", "cms", "cpu", "crm", "crud", "css", "csv", "db"),
    *("dns", "dom", "etl", "gcp", "gdpr", "gpu", "hipaa", "hr", "html", "http", "https", "id"),
    *("ide", "io", "ip", "js", "json", "jwt", "kpi", "llm", "mcp", "ml", "nlp", "ocr", "orm"),
    *("pdf", "php", "png", "pr", "prd", "qa", "rag", "rbac", "rss", "sdk", "seo", "sla", "slo"),
    *("sql", "sre", "ssh", "ssl", "ssr", "svg", "tcp", "tdd", "tls", "ts", "tts", "ui", "url"),
    *("ux", "vm", "vpn", "wcag", "xml", "xss", "yaml"),
}


def title_of(name, slug):
    """The title of an entry whose file has none: its name as it is written, unless it is a slug."""
    return as_title(slug) if not name or is_slug(name) else name[:MAX_TITLE].rstrip()


def as_title(slug):
    """`pdf-tables` becomes "PDF Tables"."""
    return " ".join(
        word.upper() if word in ACRONYMS else word.capitalize() for word in slug.split("-")
    )
