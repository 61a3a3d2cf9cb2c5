"""The requests of `manage.py doctor` to the deployment itself, as others reach it."""

import json
import re
from http.client import HTTPException
from secrets import token_hex
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from django.conf import settings

from marketplace import environment

TIMEOUT = 10  # seconds


class Problem(Exception):
    """A problem of the deployment. Its text says what to do."""


def requests_to_itself(url):
    """How a request from outside arrives here, after the proxies in front."""
    if not url:
        return None
    for path in ("/readyz", "/api/v1"):
        status, text, _ = response_to(f"{url}{path}")
        if status != 200:
            raise Problem(f"{url}{path} gets {status} ({text}). {ADVICE.get(status, '')}".rstrip())
    # This limit counts by address. The proxies must not believe these addresses.
    remaining = [remaining_for(url, f"2001:db8:{token_hex(2)}:{token_hex(2)}::1") for _ in "ab"]
    # If doctor has run often, both are 0, which proves nothing.
    if remaining[0] not in ([], ["0"]) and remaining[0] == remaining[1]:
        raise Problem(
            "Clients can choose the address that they are counted by. Lower TRUSTED_PROXY_COUNT to "
            "the number of proxies that append to X-Forwarded-For."
        )
    return f"{url} responds, and believes no address that a client invents."


ADVICE = {
    400: "Add its host to ALLOWED_HOSTS.",
    403: "Have the proxy send X-Forwarded-Proto, and set TRUSTED_PROXY_COUNT.",
    404: "This may be another server: name the address of yours with --url, or correct PORT.",
    502: "The proxy does not reach the server: compare its target with BIND and PORT.",
    503: "See docs/deploy/errors.md.",
}

OTHER_MACHINE = "Look at DNS, the firewall and the proxy."
THIS_MACHINE = "Start the server, or name its address with --url or its port with PORT."


def remaining_for(url, address):
    """How many more reports of leaked tokens this address may send; an empty one counts, too."""
    headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
    _, _, response = response_to(f"{url}/api/v1/tokens/revoke", b"{}", headers)
    return re.findall(r"r=(\d+)", response.get("RateLimit", ""))


def response_to(url, body=None, headers=None):
    """Status, error text and headers of the response."""
    try:
        if urlsplit(url).scheme not in {"http", "https"}:
            raise Problem(f"{url} is not an http:// or https:// address.")
        response = urlopen(Request(url, body, headers or {}), timeout=TIMEOUT)  # noqa: S310  # nosec B310
    except HTTPError as error:
        response = error
    except (OSError, HTTPException, ValueError) as error:
        reason = first_line(getattr(error, "reason", error))
        advice = advice_for(reason, otherwise=THIS_MACHINE if is_local(url) else OTHER_MACHINE)
        raise Problem(f"{url} cannot be reached: {reason}. {advice}") from error
    with response:
        try:
            text = json.loads(response.read(1000)).get("error", "")
        except (ValueError, AttributeError):
            text = ""
        return response.status, text, response.headers


def is_local(url):
    return url.startswith(("http://127.0.0.1", "http://localhost", "http://[::1]"))


def advice_for(reason, *, otherwise):
    """What to do about a server that cannot be reached for a reason."""
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        return "If you signed the certificate yourself, set SSL_CERT_FILE to it."
    return otherwise


def first_line(error):
    return (str(error) or type(error).__name__).splitlines()[0]


def local_url():
    """The address of the server itself, without a proxy; None unless PORT says where it is."""
    port = environment.text("PORT", "")
    return f"http://127.0.0.1:{port}" if port and not settings.REQUIRE_HTTPS else None
