"""Limits on guessing the passwords of staff."""

from functools import wraps
from http import HTTPStatus
from threading import Lock

from django.contrib.auth import get_user_model
from django.template.response import TemplateResponse

from infrastructure import metrics
from marketplace.ratelimits.client_address import client_address
from marketplace.ratelimits.windows import Caller, count, usage_of

# Checking a password takes a third of a second of CPU time, even if no user has the name. A process
# checks one at a time and makes nobody wait for it, so its other threads serve requests.
hashing = Lock()
BUSY_SECONDS = 1


def limit_failures(name_of):
    """Limit failed attempts at a step of a site's log-in, by address and by `name_of` the request.

    The counts are checked before a password or a code and written after it, so that a right one
    never counts. Each thread that passed the check before the last failure was counted may still
    try one more, but past the limit no response says whether it was wrong.
    """

    def decorate(log_in):
        @wraps(log_in)
        def limited(site, request, extra_context=None):
            if request.method != "POST":
                return log_in(site, request, extra_context)
            callers = callers_of(request, name_of(request))
            for policy, caller in callers.items():
                usage = usage_of(request, policy, caller)
                if not usage.remaining:
                    metrics.refusals.labels(policy).inc()
                    return refuse(site, request, usage.seconds)
            if not hashing.acquire(blocking=False):
                return refuse(site, request, BUSY_SECONDS, is_busy=True)
            try:
                response = log_in(site, request, extra_context)
                if response.status_code != HTTPStatus.OK:  # the form again
                    return response
                usages = [count(request, policy, caller) for policy, caller in callers.items()]
            finally:
                hashing.release()
            if any(usage.is_exceeded for usage in usages):
                return refuse(site, request, max(usage.seconds for usage in usages))
            return response

        return limited

    return decorate


def callers_of(request, name):
    """The callers to count, by policy. The address comes first: each new name has its own count."""
    address = client_address(request)
    # Normalized as Django does it, so that equivalent characters are one name.
    name = get_user_model().normalize_username(name[:150])
    return {
        "login-address": Caller(address),
        "login": Caller(f"{address} {name.strip().lower()}"),
    }


def refuse(site, request, seconds, *, is_busy=False):
    title = "Somebody else is logging in" if is_busy else "Too many attempts to log in"
    minutes = -(-seconds // 60)
    return TemplateResponse(
        request,
        "admin/too_many_logins.html",
        {**site.each_context(request), "title": title, "is_busy": is_busy, "minutes": minutes},
        status=HTTPStatus.TOO_MANY_REQUESTS,
        headers={"Retry-After": str(seconds)},
    )
