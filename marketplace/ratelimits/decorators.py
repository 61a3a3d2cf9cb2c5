"""Rate limits (contract 8): fixed windows, counted whatever the outcome of the request."""

from dataclasses import dataclass
from functools import wraps

from django.conf import settings
from django_ratelimit.core import get_usage

from marketplace.api.exceptions import RateLimitExceeded, Unavailable
from marketplace.ratelimits.client_address import client_address

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Usage:
    """Where a caller stands in its window; `seconds` until the next one begins, 1 to `window`."""

    policy: str
    limit: int
    window: int
    remaining: int
    seconds: int
    is_exceeded: bool

    @property
    def headers(self):
        """As draft-ietf-httpapi-ratelimit-headers-10 writes them."""
        return {
            "RateLimit-Policy": f'"{self.policy}";q={self.limit};w={self.window}',
            "RateLimit": f'"{self.policy}";r={self.remaining};t={self.seconds}',
        }


def ratelimit(policy):
    """Count each call of a viewset's handler against the policy; 429 with Retry-After beyond it.

    Handlers run after authentication and scope, which is where the contract wants the count.
    Calls are counted by agent, or by address where there is none.
    """

    def decorate(handler):
        @wraps(handler)
        def counted(viewset, request, *args, **kwargs):
            agent = request.user
            if agent is None:
                usage = count(request, policy, caller=client_address(request))
            else:
                usage = count(request, policy, caller=agent.pk, tier=agent.tier)
            request.rate_limit_headers = usage.headers
            if usage.is_exceeded:
                raise RateLimitExceeded(usage.seconds)
            return handler(viewset, request, *args, **kwargs)

        counted.policy = policy
        return counted

    return decorate


def count(request, policy, *, caller, tier="free"):
    """Count one request of the caller; its Usage.

    The store counts in autocommit, so nothing that is rolled back later takes a count with it.
    """
    rate = rate_of(policy, tier)
    usage = get_usage(request, group=policy, key=lambda *_: str(caller), rate=rate, increment=True)
    if not usage["count"]:  # the library's sign that the store gave no count
        raise Unavailable
    return Usage(
        policy=policy,
        limit=usage["limit"],
        window=window_of(rate),
        remaining=max(usage["limit"] - usage["count"], 0),
        # The window includes the second that `time_left` counts to: the next one begins after it.
        # It is -1 where that second has passed since the request was counted.
        seconds=max(usage["time_left"] + 1, 1),
        is_exceeded=usage["should_limit"],
    )


def rate_of(policy, tier):
    """The tier's rate; a tier that the deployment gives no rate of its own has the free one."""
    rates = settings.RATE_LIMITS[policy]
    return rates.get(tier, rates["free"])


def window_of(rate):
    """The length of a rate's window in seconds: 3600 for `20/h`, 1800 for `20/30m`."""
    period = rate.partition("/")[2]
    return int(period[:-1] or 1) * SECONDS[period[-1]]
