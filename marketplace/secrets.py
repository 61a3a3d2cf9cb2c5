"""Random texts, and how a secret is recognised in a text."""

import re
import secrets
import string

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
# A token is `<prefix>_agent_<secret><checksum>` (contract 2; agents/tokens.py).
TOKEN_INFIX, TOKEN_SECRET_LENGTH = "_agent_", 32
TOKEN = re.compile(rf"{TOKEN_INFIX}[0-9A-Za-z]{{{TOKEN_SECRET_LENGTH}}}")
# What a log must not hold. The text after `_agent_` or `/claim/`, truncated or not; and any text,
# percent-encoded or not, that is as long as the secret of a token, a claim, a session or a CSRF
# token. Only 32 hexadecimal digits are a request's ID: secrets have more letters.
SECRET = re.compile(
    rf"(?<={TOKEN_INFIX})\w+|(?<=/claim/)\w+"
    r"|(?<![0-9A-Za-z])(?![0-9a-f]{32}(?![0-9A-Za-z%]))(?:%[0-9A-Fa-f]{2}|[0-9A-Za-z]){30,}"
)


def random_text(length, alphabet=BASE62):
    return "".join(secrets.choice(alphabet) for _ in range(length))


def holds_token(text):
    return TOKEN.search(text) is not None


def mask(text):
    """The text with `[masked]` in place of the secret part of every token and claim URL."""
    return SECRET.sub("[masked]", text)
