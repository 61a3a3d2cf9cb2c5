"""The logging configuration, which masks secrets."""

import logging

from marketplace.secrets import mask


class MaskedFormatter(logging.Formatter):
    """The format of all loggers. Masks after formatting, so that tracebacks are masked too."""

    def __init__(self):
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record):
        return mask(super().format(record))


class MaskedMessages(logging.Filter):
    """For a logger whose records may also reach a deployer's own handlers, such as mail."""

    def filter(self, record):
        record.msg, record.args = mask(record.getMessage()), ()
        return True


# For Django and gunicorn: every event is a line on standard output.
CONFIG = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "marketplace.logging.MaskedFormatter"}},
    "filters": {"masked": {"()": "marketplace.logging.MaskedMessages"}},
    "handlers": {
        "stdout": {
            "class": "logging.StreamHandler",
            "stream": "ext://sys.stdout",
            "formatter": "line",
        }
    },
    "root": {"handlers": ["stdout"], "level": "INFO"},
    "loggers": {
        "django": {"level": "INFO", "propagate": True, "handlers": []},
        # Crashes only: a client's mistake is told in its response.
        "django.request": {"level": "ERROR", "filters": ["masked"]},
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        # The SDK logs every request and every mistake of a client.
        "mcp": {"level": "ERROR"},
        "gunicorn.error": {"handlers": ["stdout"], "level": "INFO", "propagate": False},
        "gunicorn.access": {"handlers": ["stdout"], "level": "INFO", "propagate": False},
    },
}
