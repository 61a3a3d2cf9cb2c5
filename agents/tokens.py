"""The text of a token (contract 4.6), `<prefix>_agent_<opaque>`, and of other secrets.

They differ in their kind: `_operator_` for an operator's key (contract 19.1), `_invite_` for an
invitation (contract 26.3), `_refresh_` and `_code_` for connectors (contract 35.6). All are made
and stored in the same way.
"""

import hashlib
import re
import zlib
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from marketplace.secrets import (
    AGENT,
    INVITATION,
    OPERATOR,
    TOKEN_SECRET_LENGTH,
    in_digits,
    random_text,
)

CHECKSUM_LENGTH = 6
OPAQUE_LENGTH = TOKEN_SECRET_LENGTH + CHECKSUM_LENGTH
FAMILY_LENGTH = 12  # characters of the secret of a refresh token
NOTED_EVERY = timedelta(minutes=15)  # how often its last use is recorded
MAX_DAYS = 3650  # the longest expiry that staff may choose


def pattern_of(kind):
    return re.compile(rf"[A-Za-z0-9]+{kind}[0-9A-Za-z]{{{OPAQUE_LENGTH}}}")


PATTERN = pattern_of(AGENT)


def mint(kind=AGENT):
    """A new text of this kind: random, followed by a checksum of everything before it."""
    return text_of(kind, random_text(TOKEN_SECRET_LENGTH))


def text_of(kind, secret):
    return with_checksum(f"{settings.TOKEN_PREFIX}{kind}{secret}")


def mint_key():
    """The text of a new operator key."""
    return mint(OPERATOR)


def mint_invitation():
    """The text of a new invitation."""
    return mint(INVITATION)


def with_checksum(body):
    return body + checksum(body)


def checksum(body):
    """The CRC-32 of the text in base62 (0-9A-Za-z), padded with 0 to six characters."""
    return in_digits(zlib.crc32(body.encode()), CHECKSUM_LENGTH)


def is_well_formed(text, pattern=PATTERN):
    """Whether the text can be a token. A mistyped or truncated one is refused without a query."""
    body, end = text[:-CHECKSUM_LENGTH], text[-CHECKSUM_LENGTH:]
    return pattern.fullmatch(text) is not None and checksum(body) == end


def expiry(days):
    """When a token issued now for so many days expires; None, which is never, for None."""
    return None if days is None else timezone.now() + timedelta(days=days)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def family_of(text):
    """The digest of the start that all refresh tokens of a connection share (contract 35.8)."""
    return digest(text[: -OPAQUE_LENGTH + FAMILY_LENGTH])


def hint(text):
    """Enough for staff to recognize a token, too little to use it: `mkt_agent_4fKd…Xw3a`."""
    start, opaque = text[:-OPAQUE_LENGTH], text[-OPAQUE_LENGTH:]
    return f"{start}{opaque[:4]}…{opaque[-4:]}"
