"""Log lines and error texts without secrets."""

import logging
import re

# What follows their names, cut short or not; and, wherever it stands and however it is escaped,
# what is as long as the secret of a token, a claim, a session or a CSRF token.
SECRET = re.compile(r"(?<=_agent_)\w+|(?<=/claim/)\w+|(?:%[0-9A-Fa-f]{2}|[0-9A-Za-z]){30,}")


def mask(text):
    """The text with `[masked]` in place of the secret part of every token and claim URL."""
    return SECRET.sub("[masked]", text)


class MaskedFormatter(logging.Formatter):
    """One format for all loggers; masks after formatting, so that tracebacks are covered too."""

    def __init__(self):
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record):
        return mask(super().format(record))


class MaskedMessages(logging.Filter):
    """For a logger whose records may reach handlers of a deployer's own, such as mails."""

    def filter(self, record):
        record.msg, record.args = mask(record.getMessage()), ()
        return True


# For Django and gunicorn alike: everything goes to standard output, one line an event.
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
        # What a client did wrong its answer tells; crashes are logged here.
        "django.request": {"level": "ERROR", "filters": ["masked"]},
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        # It tells of every request, and of every mistake of a client, which its answer tells too.
        "mcp": {"level": "ERROR"},
        "gunicorn.error": {"handlers": ["stdout"], "level": "INFO", "propagate": False},
        "gunicorn.access": {"handlers": ["stdout"], "level": "INFO", "propagate": False},
    },
}
