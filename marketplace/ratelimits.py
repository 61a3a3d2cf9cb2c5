"""Rate limits (contract 8): fixed windows, counted whatever the outcome of the request."""

from functools import wraps

from django.conf import settings
from django_ratelimit.core import get_usage

from marketplace.client_address import client_address
from marketplace.exceptions import RateLimitExceeded, Unavailable

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def ratelimit(policy):
    """Count each call of a viewset's handler against the policy; 429 with Retry-After beyond it.

    Handlers run after authentication and scope, which is where the contract wants the count.
    The store counts in autocommit, so nothing that the handler rolls back takes a count with it.
    """

    def decorate(handler):
        @wraps(handler)
        def counted(viewset, request, *args, **kwargs):
            count(request, policy)
            return handler(viewset, request, *args, **kwargs)

        return counted

    return decorate


def count(request, policy):
    """Count the request for its agent, or its address where it has none."""
    agent = request.user
    tier, caller = ("free", client_address(request)) if agent is None else (agent.tier, agent.pk)
    rate = rate_of(policy, tier)
    usage = get_usage(request, group=policy, key=lambda *_: str(caller), rate=rate, increment=True)
    if usage["time_left"] < 0:  # the library's sign that the store gave no count
        raise Unavailable
    limit, remaining = usage["limit"], max(usage["limit"] - usage["count"], 0)
    # In the last second of a window the library says 0, which would invite an endless retry.
    seconds = max(usage["time_left"], 1)
    request.rate_limit_headers = {
        "RateLimit-Policy": f'"{policy}";q={limit};w={window_of(rate)}',
        "RateLimit": f'"{policy}";r={remaining};t={seconds}',
    }
    if usage["should_limit"]:
        raise RateLimitExceeded(seconds)


def rate_of(policy, tier):
    """The tier's rate; a tier that the deployment gives no rate of its own has the free one."""
    rates = settings.RATE_LIMITS[policy]
    return rates.get(tier, rates["free"])


def window_of(rate):
    """The length of a rate's window in seconds: 3600 for `20/h`, 1800 for `20/30m`."""
    period = rate.partition("/")[2]
    return int(period[:-1] or 1) * SECONDS[period[-1]]
