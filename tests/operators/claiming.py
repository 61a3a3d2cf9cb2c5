"""What the tests of claiming anew share."""

import re

CONFIRM = "/api/v1/agents/me/confirm-claim"
CODE = re.compile(r'id="code">([A-Z-]{9})<')
KEY = re.compile(r"mkt_operator_[0-9A-Za-z]{38}")
GRACE = {"name": "Grace Hopper", "email": "grace@example.com"}


def shown(page):
    """The code and the keys on the page."""
    assert page.status_code == 200
    text = page.content.decode()
    return CODE.search(text)[1], KEY.findall(text)
