"""The logging configuration, which masks secrets."""

import json
import logging
from datetime import UTC, datetime

from infrastructure.server.request_ids import request_id
from marketplace import environment
from marketplace.secrets import mask


class MaskedFormatter(logging.Formatter):
    """The format of LOG_FORMAT=text. It masks after formatting, and so masks tracebacks."""

    def __init__(self):
        super().__init__("%(asctime)s %(levelname)s %(name)s%(in_request)s: %(message)s")

    def format(self, record):
        record.in_request = f" [{request_id.get()}]" if request_id.get() else ""
        return mask(super().format(record))


class JsonFormatter(logging.Formatter):
    """A masked JSON object per line; a traceback is the end of its message.

    Named arguments, such as those of the access log, are separate fields.
    """

    def format(self, record):
        fields = dict(record.args) if isinstance(record.args, dict) else {}
        fields |= {
            "time": f"{datetime.fromtimestamp(record.created, UTC):%FT%T}.{record.msecs:03.0f}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": super().format(record),
        }
        if request_id.get():
            fields["request_id"] = request_id.get()
        return json.dumps(
            {
                name: value if isinstance(value, int | float) else mask(str(value))
                for name, value in fields.items()
            }
        )


class MaskedMessages(logging.Filter):
    """For a logger whose records may also reach a deployer's own handlers, such as mail."""

    def filter(self, record):
        record.msg, record.args = mask(record.getMessage()), ()
        return True


class FirstOfEachHost(logging.Filter):
    """Keeps one line for each of the first refused hosts: anybody may send any name."""

    MAX_HOSTS = 50

    def __init__(self):
        super().__init__()
        self.logged = set()

    def filter(self, record):
        text = record.getMessage()
        if text in self.logged or len(self.logged) == self.MAX_HOSTS:
            return False
        self.logged.add(text)
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info = None  # whose traceback says nothing more
        return True


FORMATTERS = {"text": MaskedFormatter, "json": JsonFormatter}
CONFIG = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "masked": {"()": "marketplace.logging.MaskedMessages"},
        "first of each host": {"()": "marketplace.logging.FirstOfEachHost"},
    },
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
        # Crashes only: the response tells a client about its mistake.
        "django.request": {"level": "ERROR", "filters": ["masked"]},
        # The same for what Django calls suspicious, such as too many fields in a form, or a filter
        # that a list of the admin does not have. The exceptions may be the deployer's mistakes.
        "django.security": {"level": "CRITICAL"},
        "django.security.csrf": {"level": "WARNING"},
        # It may be the deployer's own host name. Then the log says why it gets a 400.
        "django.security.DisallowedHost": {"level": "ERROR", "filters": ["first of each host"]},
        "gunicorn.error": {"handlers": ["stdout"], "level": "INFO", "propagate": False},
        "gunicorn.access": {"handlers": ["stdout"], "level": "INFO", "propagate": False},
    },
}


def config():
    """For Django and gunicorn: every event is a line on standard output."""
    name = environment.matching("LOG_FORMAT", "text|json", default="text", meaning="text or json")
    return CONFIG | {"formatters": {"line": {"()": FORMATTERS[name]}}}
