"""Scan a text for secrets: ten consecutive characters of one are a finding, in either case."""

import re

MIN_LENGTH = 10  # the hint for staff has four


def leaks(secrets, text):
    """The names of the secrets, `{name: secret}`, that the text reveals."""
    text = text.lower()
    return sorted(name for name, secret in secrets.items() if any(p in text for p in parts(secret)))


def parts(secret):
    """All substrings of that length; for a token or key, those of its secret half."""
    opaque = re.split("_agent_|_operator_|_invite_", secret)[-1].lower()
    length = min(MIN_LENGTH, len(opaque))
    return [opaque[start : start + length] for start in range(len(opaque) - length + 1)]
