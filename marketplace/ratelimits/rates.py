"""The rate limits: which requests count against which one, and how a rate is written."""

import re
from typing import NamedTuple

# The default rate of each policy, which @ratelimit names, and the requests that count.
# RATE_LIMIT_<NAME> overrides it. "By address" means that all clients of an address count together.
DEFAULTS = {
    "install": "20/h",  # installing a skill or a persona
    "review": "10/h",  # submitting or deleting a review
    "manage": "120/h",  # an agent's other changes: uninstall, activate, update, tokens
    "confirm-claim": "10/h",  # confirming a claim with a code
    "report": "10/h",  # reporting an entry or a review
    "submit": "60/d",  # submitting a skill or a persona
    "clone": "240/h",  # requests of git for packs, by agent or by address
    "register": "100/h",  # registering an agent, by address
    "revoke": "30/h",  # reporting a leaked token, by address
    "exchange": "300/h",  # exchanging a token of CI, by address
    "exchange-publisher": "60/h",  # the same by publisher, of tokens that are genuine
    "oauth-register": "300/h",  # registering a client of OAuth, by address
    "oauth-token": "600/h",  # its requests for tokens and to revoke them, by client and address
    "operator": "5/15m",  # trying an operator key, by address
    "claim-code": "60/h",  # the codes that the claim page of an agent shows
    "claim-code-address": "30/h",  # the codes that claim pages show, by address
    "login": "5/15m",  # wrong passwords and codes of staff, by user name and address
    "login-address": "30/15m",  # the same by address alone
}

FREE_TIER = "free"
PATTERN = re.compile(r"(\d{1,9})/([1-9]\d{0,3})?([smhd])")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
UNITS = {"s": "second", "m": "minute", "h": "hour", "d": "day"}


class Rate(NamedTuple):
    """So many requests in a window of so many seconds, as django-ratelimit expects it."""

    limit: int
    window: int

    @classmethod
    def parse(cls, text):
        """`20/h` is 20 in an hour, `5/10m` 5 in ten minutes. Raises ValueError."""
        limit, length, unit = parts_of(text)
        return cls(limit, length * SECONDS[unit])


def in_words(text):
    """`20/h` as "20 requests per hour", `5/10m` as "5 requests per 10 minutes"."""
    limit, length, unit = parts_of(text)
    period = UNITS[unit] if length == 1 else f"{length} {UNITS[unit]}s"
    return f"{limit} request{'' if limit == 1 else 's'} per {period}"


def parts_of(text):
    match = PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a rate such as 20/h")
    return int(match[1]), int(match[2] or 1), match[3]
