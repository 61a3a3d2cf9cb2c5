"""Scan a text for secrets: ten consecutive characters of one are a finding, in either case."""

ENOUGH = 10  # a hint for staff holds four


def found(secrets, text):
    """The names of those secrets, `{name: secret}`, of which enough is in the text."""
    text = text.lower()
    return sorted(name for name, secret in secrets.items() if any(p in text for p in parts(secret)))


def parts(secret):
    """All runs of enough characters; of a token those of its secret half."""
    opaque = secret.rpartition("_")[2].lower()
    length = min(ENOUGH, len(opaque))
    return [opaque[start : start + length] for start in range(len(opaque) - length + 1)]
