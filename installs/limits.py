"""How much of its rate limits an agent has used (contract 13.2)."""

from marketplace.features import has_submissions
from marketplace.ratelimits import windows

POLICIES = ["install", "review", "confirm-claim", "manage", "report", "clone", "submit"]


def policies():
    """The policies that count by agent."""
    return POLICIES if has_submissions() else POLICIES[:-1]


def usages_of(agent):
    """The Usage of each policy. Reading it counts nothing."""
    return windows.usages_of(policies(), windows.Caller.of(agent))
