"""System tests run in a short form with the suite, and at full length by `make prove`."""

import os

LONG = bool(os.environ.get("PROVE"))


def scale(*, short, long):
    return long if LONG else short
