"""The metrics of the clock process, at CLOCK_METRICS_ADDRESS if that is set."""

from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from sources.models import Source, SourceState


class ClockMetrics:
    """Serves the metrics from now on. Raises ImproperlyConfigured."""

    def __init__(self, host, port):
        from prometheus_client import CollectorRegistry, Gauge, start_http_server  # noqa: PLC0415

        registry = CollectorRegistry()

        def gauge(name, text, *labels):
            return Gauge(name, text, labels, registry=registry)

        self.by_state = gauge("sources", "Sources in each state.", "state")
        self.synced = gauge(
            "source_synced_timestamp_seconds", "The last run that did not fail.", "source"
        )
        self.last_round = gauge(
            "clock_round_timestamp_seconds", "The last round of the clock process, or its start."
        )
        self.measure(is_round=True)
        try:
            start_http_server(port, host, registry)
        except OSError as error:
            raise ImproperlyConfigured(f"CLOCK_METRICS_ADDRESS cannot be used: {error}.") from error

    def measure(self, *, is_round):
        """Read the sources, after a round or while another process has the turn."""
        if is_round:
            self.last_round.set(timezone.now().timestamp())
        self.synced.clear()
        counts = dict.fromkeys(SourceState.values, 0)
        for source in Source.objects.all():
            counts[source.state] += 1
            if source.synced_at:
                self.synced.labels(source.name).set(source.synced_at.timestamp())
        for state, number in counts.items():
            self.by_state.labels(state).set(number)
