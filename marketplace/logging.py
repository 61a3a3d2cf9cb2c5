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
