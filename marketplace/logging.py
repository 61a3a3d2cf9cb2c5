"""Log lines without secrets."""

import logging
import re

SECRET = re.compile(r"([A-Za-z0-9]+_agent_|/claim/)\w+")


def mask(text):
    """The text with the secret part of every token and claim URL replaced by `[masked]`."""
    return SECRET.sub(r"\1[masked]", text)


class MaskedFormatter(logging.Formatter):
    """One format for all loggers; masks after formatting, so that tracebacks are covered too."""

    def __init__(self):
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record):
        return mask(super().format(record))


# For Django and gunicorn alike: everything goes to standard output, one line an event.
CONFIG = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "marketplace.logging.MaskedFormatter"}},
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
        # A refused request stands in the access log already; crashes are logged here.
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "gunicorn.error": {"handlers": ["stdout"], "level": "INFO", "propagate": False},
        "gunicorn.access": {"handlers": ["stdout"], "level": "INFO", "propagate": False},
    },
}
