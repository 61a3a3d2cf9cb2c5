"""Random texts, and recognizing a secret in a text."""

import re
import secrets
import string

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
# A token is `<prefix>_agent_<secret><checksum>`. Other secrets are of another kind: operator keys,
# invitations, and the refresh tokens and codes of connectors (contract 4.6, 19.1, 26.3, 35.6;
# agents/tokens.py).
AGENT, OPERATOR, INVITATION = "_agent_", "_operator_", "_invite_"
REFRESH, CODE = "_refresh_", "_code_"
KINDS = (AGENT, OPERATOR, INVITATION, REFRESH, CODE)
TOKEN_SECRET_LENGTH = 32
TOKEN = re.compile(rf"(?:{'|'.join(KINDS)})[0-9A-Za-z]{{{TOKEN_SECRET_LENGTH}}}")
# No log may contain these: the text after one of these kinds or `/claim/`, even truncated, and
# any other text that is at least as long as the secret of a token, a claim, a session or a CSRF
# token, percent-encoded or not. 32 hexadecimal digits alone are a request's ID: secrets have more
# letters. A hint, `mkt_agent_4fKd…Xw3a`, is no secret.
STARTS = "|".join(f"(?<={start})" for start in (*KINDS, "/claim/"))
OF_A_TOKEN = rf"(?:{STARTS})(?!\w{{4}}…)\w+"
SECRET = re.compile(
    rf"{OF_A_TOKEN}"
    r"|(?<![0-9A-Za-z])(?![0-9a-f]{32}(?![0-9A-Za-z%]))(?:%[0-9A-Fa-f]{2}|[0-9A-Za-z]){30,}"
)


def random_text(length, alphabet=BASE62):
    # One number, because `secrets.choice` would ask the operating system for each character.
    return in_digits(secrets.randbelow(len(alphabet) ** length), length, alphabet)


def in_digits(number, length, alphabet=BASE62):
    """The number in the digits of an alphabet, padded to the length."""
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(alphabet))
        digits.append(alphabet[digit])
    return "".join(reversed(digits))


def holds_token(text):
    return TOKEN.search(text) is not None


def mask(text):
    """The text with `[masked]` in place of the secret part of every token and claim URL."""
    return SECRET.sub("[masked]", text)


def mask_tokens(text):
    """`mask` for a name, which may be as long as a secret."""
    return re.sub(OF_A_TOKEN, "[masked]", text)
