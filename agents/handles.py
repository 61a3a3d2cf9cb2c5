"""The names that agents are known by (contract 5.3)."""

from django.utils.text import slugify

from marketplace.models import SLUG
from marketplace.secrets import random_text

PATTERN = SLUG
MIN_LENGTH, MAX_LENGTH = 3, 39
# fmt: off
RESERVED = frozenset([
    "admin", "administrator", "agent", "agents", "anonymous", "api", "auth", "billing",
    "catalogue", "claim", "docs", "everyone", "help", "login", "logout", "marketplace",
    "me", "moderator", "nobody", "null", "official", "operator", "owner", "persona",
    "personas", "postmaster", "register", "review", "reviews", "root", "security",
    "settings", "skill", "skills", "staff", "support", "sysadmin", "system", "undefined",
    "webmaster", "www",
])
# fmt: on


def readable(name, suffix=""):
    """A handle made from a name, or a random one if the name has too few letters of a-z."""
    stem = slugify(name).replace("_", "-").strip("-")
    if len(stem) < MIN_LENGTH or stem in RESERVED:
        stem, suffix = stem or "agent", suffix or random_part()
    stem = "-".join(part for part in stem.split("-") if part)
    end = f"-{suffix}" if suffix else ""
    return stem[: MAX_LENGTH - len(end)].strip("-") + end


def random_part():
    return random_text(8, "abcdefghijklmnopqrstuvwxyz0123456789")
