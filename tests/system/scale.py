"""System tests run in a short form with the suite, and at full length by `make prove`."""

import os

LONG = bool(os.environ.get("PROVE"))
POLICIES = ["REGISTER", "INSTALL", "REVIEW", "REPORT", "MANAGE", "REVOKE", "CLONE", "CONFIRM_CLAIM"]
POLICIES += ["CLAIM_CODE", "CLAIM_CODE_ADDRESS", "OPERATOR", "SUBMIT"]
UNLIMITED = {f"RATE_LIMIT_{policy}": "1000000/h" for policy in POLICIES}


def scale(*, short, long):
    return long if LONG else short
