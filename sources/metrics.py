"""The metrics of the clock process, at CLOCK_METRICS_ADDRESS if that is set."""

from functools import cache

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone


@cache
def gauges():
    """`(sources, synced, round)`, served from now on; None without an address."""
    if settings.CLOCK_METRICS_ADDRESS is None:
        return None
    from prometheus_client import CollectorRegistry, Gauge, start_http_server  # noqa: PLC0415

    host, port = settings.CLOCK_METRICS_ADDRESS
    registry = CollectorRegistry()

    def gauge(name, text, *labels):
        return Gauge(name, text, labels, registry=registry)

    try:
        start_http_server(port, host, registry)
    except OSError as error:
        raise ImproperlyConfigured(f"CLOCK_METRICS_ADDRESS cannot be used: {error}.") from error
    return (
        gauge("sources", "Sources in each state.", "state"),
        gauge("source_synced_timestamp_seconds", "The last run that did not fail.", "source"),
        gauge("clock_round_timestamp_seconds", "The last round of the clock process."),
    )


def note_round(sources):
    """Measure the sources, after some were synced."""
    if gauges() is None:
        return
    by_state, synced, last_round = gauges()
    last_round.set(timezone.now().timestamp())
    synced.clear()
    counts = dict.fromkeys(["ok", "failing", "paused"], 0)
    for source in sources:
        counts[source.state] += 1
        if source.synced_at:
            synced.labels(source.name).set(source.synced_at.timestamp())
    for state, number in counts.items():
        by_state.labels(state).set(number)
