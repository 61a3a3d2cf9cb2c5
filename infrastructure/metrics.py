"""The metrics for Prometheus. Unless METRICS_ADDRESS is set, each metric does nothing.

The processes of a server write to files in one folder, which server/exporter.py creates before
the first of them starts, and reads.
"""

import os
from contextlib import nullcontext
from functools import cache, lru_cache
from http import HTTPMethod
from time import perf_counter

from django.contrib.admindocs.views import simplify_regex
from django.urls import Resolver404, resolve

IS_ON = "PROMETHEUS_MULTIPROC_DIR" in os.environ
METHODS = frozenset(HTTPMethod)


class Unmeasured:
    def __init__(self, *_, **__):
        pass

    def labels(self, *_):
        return self

    def inc(self, *_):
        pass

    dec = set = inc

    def time(self):
        return nullcontext()


if IS_ON:
    from prometheus_client import Counter, Gauge, Histogram
else:
    Counter = Gauge = Histogram = Unmeasured

requests = Histogram(
    "http_request_duration_seconds",
    "Time until a response is ready, cached ones included.",
    ["route", "method", "status"],
)
statements = Histogram(
    "database_statement_duration_seconds",
    "Time that requests waited for the database.",
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
connections = Gauge(
    "database_connections", "Open connections to the database.", multiprocess_mode="livesum"
)
cache_hits = Counter("response_cache_hits", "Responses from the cache.")
cache_misses = Counter("response_cache_misses", "Responses that were stored in the cache.")
cache_bytes = Gauge(
    "response_cache_bytes", "Memory of the cached responses.", multiprocess_mode="livesum"
)
refusals = Counter("rate_limit_refusals", "Requests beyond a rate limit.", ["policy"])


def measured(application):
    """The WSGI application, with its requests measured."""
    if not IS_ON:
        return application

    def measured_application(environ, start_response):
        begun = perf_counter()
        statuses = []

        def start(status, *arguments):
            statuses.append(status[:3])
            return start_response(status, *arguments)

        response = application(environ, start)
        method = environ["REQUEST_METHOD"]
        requests_of(
            route_of(environ["PATH_INFO"]),
            method if method in METHODS else "other",
            statuses[-1],
        ).observe(perf_counter() - begun)
        return response

    return measured_application


def count_unreadable_request(status):
    """Count a request that does not reach the application."""
    if IS_ON:
        requests_of("none", "other", str(status)).observe(0)


@lru_cache(1000)
def route_of(path):
    """The URL pattern; "none" for health checks, static files and unknown paths."""
    try:
        return simplify_regex(resolve(path).route)
    except Resolver404:
        return "none"


@cache
def requests_of(*labels):
    return requests.labels(*labels)
