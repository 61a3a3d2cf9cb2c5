"""Helpers of the tests that claim an agent."""

import re

CONFIRM = "/api/v1/agents/me/confirm-claim"
CODE = re.compile(r"[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}")
KEY = re.compile(r"mkt_operator_[0-9A-Za-z]{38}")
OPERATOR = {"name": "Ada Lovelace", "email": "ada@example.com"}
GRACE = {"name": "Grace Hopper", "email": "grace@example.com"}


def submit(operator, url, **fields):
    """Request a code on the claim page."""
    return operator.submit(url, **OPERATOR | fields)


def code_in(page):
    assert page.status_code == 200
    (code,) = set(CODE.findall(page.content.decode()))
    return code


def code_and_keys(page):
    """The code and the keys on the page."""
    return code_in(page), KEY.findall(page.content.decode())


def claim_of(client):
    return client.get("/api/v1/agents/me").json()["claim"]
