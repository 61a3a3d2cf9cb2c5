"""How much of its window a caller has used, and when the next one begins (contract 11)."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError
from django_ratelimit.core import ALL, _get_window, _make_cache_key, get_usage

from infrastructure import metrics
from infrastructure.server.uploads import is_body_awaited
from marketplace.ratelimits.rates import FREE_TIER, Rate


class Caller(NamedTuple):
    """The counted party: an address, or an agent with its tier and its own limits.

    `limits` are those that its operator has lowered, and `raised` those that staff have raised.
    """

    key: int | str
    tier: str = FREE_TIER
    limits: Mapping = MappingProxyType({})
    raised: Mapping = MappingProxyType({})

    @classmethod
    def of(cls, agent):
        return cls(agent.pk, agent.tier, agent.limits, agent.raised)


@dataclass(frozen=True)
class Usage:
    """A caller's use of its window; the next one begins in `seconds`, from 1 to `window`."""

    policy: str
    limit: int
    window: int
    remaining: int
    seconds: int
    is_exceeded: bool
    is_lowered: bool  # by the agent's operator

    @property
    def used(self):
        return self.limit - self.remaining

    @property
    def minutes(self):
        """Until the next window begins, rounded up."""
        return -(-self.seconds // 60)

    @property
    def headers(self):
        """The fields of draft-ietf-httpapi-ratelimit-headers-10."""
        return {
            "RateLimit-Policy": f'"{self.policy}";q={self.limit};w={self.window}',
            "RateLimit": f'"{self.policy}";r={self.remaining};t={self.seconds}',
        }


def count(request, policy, caller, *, once_a_minute=False):
    """Count one request of the caller, and return the caller's Usage.

    All requests `once_a_minute` of a minute count as one. The store counts in autocommit, so a
    later rollback undoes no count. A request whose body has not arrived counts when it has.
    """
    is_early = is_body_awaited.get()
    increment = not is_early and (not once_a_minute or is_first_of_minute(request, policy, caller))
    usage = usage_of(request, policy, caller, increment=increment)
    if is_early and not usage.remaining:
        usage = replace(usage, is_exceeded=True)
    if usage.is_exceeded:
        metrics.refusals.labels(policy).inc()
    return usage


def is_first_of_minute(request, policy, caller):
    group, rate = f"{policy}-once-a-minute", Rate(1, 60)
    usage = get_usage(
        request, group=group, key=lambda *_: str(caller.key), rate=rate, increment=True
    )
    return not usage["should_limit"]


def usage_of(request, policy, caller, *, increment=False):
    """The caller's current Usage, or its Usage with one more request."""
    rate = Rate.parse(rate_of(policy, caller.tier))
    # Counted by the tier's rate, which the library includes in the counter's key, so that changing
    # the agent's own limits does not restart the count.
    usage = get_usage(
        request, group=policy, key=lambda *_: str(caller.key), rate=rate, increment=increment
    )
    if usage["should_limit"] and not usage["count"]:
        # This is how the library reports that the store has failed.
        raise OperationalError("the store of the rate limits has lost a count")
    return as_usage(policy, caller, rate, usage)


def usages_of(policies, caller):
    """The caller's current Usage of each policy, in one read of the store."""
    counters = [counter_of(policy, caller) for policy in policies]
    counts = cache.get_many([key for *_, key in counters])
    usages = []
    for policy, rate, window, key in counters:
        count = counts.get(key, 0)
        usage = {"count": count, "limit": rate.limit, "should_limit": count > rate.limit}
        usage["time_left"] = window - int(time.time())
        usages.append(as_usage(policy, caller, rate, usage))
    return usages


def counter_of(policy, caller):
    """The policy, its rate, the last second of the window and the key that `get_usage` counts."""
    # That function, which is all that the library publishes, reads one counter at a time, and
    # writes a 0 in order to read it.
    rate, value = Rate.parse(rate_of(policy, caller.tier)), str(caller.key)
    window = _get_window(value, rate.window)
    return policy, rate, window, _make_cache_key(policy, window, rate, value, ALL)


def as_usage(policy, caller, rate, usage):
    """A Usage from that of the library."""
    highest = max(usage["limit"], caller.raised.get(policy, 0))
    limit = min(highest, caller.limits.get(policy, highest))
    return Usage(
        policy=policy,
        limit=limit,
        window=rate.window,
        remaining=max(limit - usage["count"], 0),
        # `time_left` counts to the last second of the window, so the next window begins one later.
        # It is -1 if that second has passed since the request was counted.
        seconds=max(usage["time_left"] + 1, 1),
        is_exceeded=usage["count"] > limit,
        is_lowered=limit < highest,
    )


def allowed(policy, agent):
    """How many requests of a window the agent's tier, or staff, allow it."""
    of_tier = Rate.parse(rate_of(policy, agent.tier)).limit
    return max(of_tier, agent.raised.get(policy, 0))


def rate_of(policy, tier=FREE_TIER):
    """The tier's rate, or the free one if the deployment configures none for the tier."""
    rates = settings.RATE_LIMITS[policy]
    return rates.get(tier, rates[FREE_TIER])
