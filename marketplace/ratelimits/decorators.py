"""The decorator that counts the requests of an API view (contract 11.2)."""

from functools import wraps

from marketplace.api.exceptions import RateLimitExceeded
from marketplace.ratelimits.client_address import client_address
from marketplace.ratelimits.windows import Caller, count


def ratelimit(policy):
    """Count each call of a viewset's handler, by agent or by address; 429 beyond the limit.

    Handlers run after the checks of token and scope (contract 3.2).
    """

    def decorate(handler):
        @wraps(handler)
        def count_and_handle(viewset, request, *args, **kwargs):
            check_rate(request, policy)
            return handler(viewset, request, *args, **kwargs)

        count_and_handle.policy = policy
        return count_and_handle

    return decorate


def check_rate(request, policy, caller=None, *, once_a_minute=False):
    """Count a request of an agent, of an address or of another caller.

    Raises RateLimitExceeded beyond the limit.
    """
    caller = caller or caller_of(request)
    usage = count(request, policy, caller, once_a_minute=once_a_minute)
    request.rate_limit_headers = {
        name: ", ".join([*filter(None, [request.rate_limit_headers.get(name)]), value])
        for name, value in usage.headers.items()
    }
    if usage.is_exceeded:
        raise RateLimitExceeded(usage.seconds, policy)


def caller_of(request):
    """The agent that sends the request, or its address."""
    agent = request.user
    return Caller(client_address(request)) if agent is None else Caller.of(agent)
