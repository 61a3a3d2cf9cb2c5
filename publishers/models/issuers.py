import logging
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit

import jwt
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from marketplace.addresses import DEFAULT_PORTS
from marketplace.documents import (
    SECONDS,
    Busy,
    Unreachable,
    fetch_json,
    within_bounds,
)
from publishers.exceptions import IssuerUnavailable, TokenNotAccepted
from publishers.id_tokens import ALGORITHMS

KEYS_LAST = timedelta(hours=1)  # then they are fetched again, because an issuer may withdraw one
FETCHED_EVERY = timedelta(minutes=1)  # at most
DISCOVERY = "/.well-known/openid-configuration"
PUBLIC = ["kid", "kty", "crv", "x", "y", "n", "e"]  # members of a key; a private one has more
logger = logging.getLogger(__name__)


class IssuerQuerySet(models.QuerySet):
    def due(self):
        """The issuers whose keys nobody has tried to fetch within the last minute."""
        return self.filter(Q(tried_at=None) | Q(tried_at__lte=Now() - FETCHED_EVERY))


class Issuer(models.Model):
    """The public keys of an issuer, which all processes share (contract 31)."""

    url = models.CharField(max_length=255)
    keys = models.JSONField(default=list)  # JWKs, each with its `kid` and its `alg`
    fetched_at = models.DateTimeField(null=True)
    tried_at = models.DateTimeField(null=True)  # when the last fetch began

    objects = IssuerQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["url"], name="unique_issuer_url")]

    def __str__(self):
        return self.url

    def key_of(self, id_token):
        """The key that a token names. Fetches keys if this one is unknown or the keys are old.

        Raises TokenNotAccepted, and IssuerUnavailable if keys are needed and cannot be had.
        """
        is_old = self.fetched_at is None or self.fetched_at < timezone.now() - KEYS_LAST
        if is_old or self.find(id_token) is None:
            self.refresh()
        key = self.find(id_token)
        if key is None:
            raise TokenNotAccepted("its issuer has no such key")
        return key

    def find(self, id_token):
        name = id_token.key_id, id_token.algorithm
        return next((key for key in self.keys if (key["kid"], key["alg"]) == name), None)

    def refresh(self):
        """Fetch the keys, unless that has succeeded within the last minute.

        Raises IssuerUnavailable.
        """
        # Most requests need no fetch, so look at the row before this thread takes the turn.
        if Issuer.objects.due().filter(pk=self.pk).exists() and self.fetch():
            return
        self.refresh_from_db()
        if self.fetched_at is None or self.fetched_at < self.tried_at:
            # Another thread or process is fetching, or could not fetch.
            raise IssuerUnavailable(self.wait())

    def fetch(self):
        """Fetch and store the keys; False if another process has begun to do so."""
        try:
            keys = within_bounds(self.may_fetch, fetch_keys, self.url)
        except Busy as error:
            raise IssuerUnavailable(SECONDS) from error
        except Unreachable as error:
            logger.warning("The keys of %s cannot be fetched: %s", self.url, error)
            raise IssuerUnavailable(FETCHED_EVERY.seconds) from error
        if keys is None:
            return False
        # The database's clock also says when the fetch began.
        Issuer.objects.filter(pk=self.pk).update(keys=keys, fetched_at=Now())
        self.keys = keys
        return True

    def may_fetch(self):
        """Whether this caller, and no other one in any process, may fetch the keys now."""
        return bool(Issuer.objects.due().filter(pk=self.pk).update(tried_at=Now()))

    def wait(self):
        """Seconds until a fetch that is running has ended, or until the next one."""
        self.refresh_from_db(fields=["tried_at"])
        past = (timezone.now() - self.tried_at).total_seconds()
        until = SECONDS if past < SECONDS else FETCHED_EVERY.total_seconds()
        return max(1, min(round(until - past) + 1, 60))


def fetch_keys(issuer, deadline):
    """The usable keys of an issuer, from its own host. Raises Unreachable."""
    fetch = partial(fetch_json, issuer, deadline=deadline)
    document = fetch(urlsplit(issuer).path.rstrip("/") + DISCOVERY)
    if document.get("issuer") != issuer:
        raise Unreachable(f"{DISCOVERY} names another issuer")
    keys = fetch(path_of_keys(issuer, document.get("jwks_uri"))).get("keys")
    keys = [key for data in keys if (key := as_key(data))] if isinstance(keys, list) else []
    if not keys:
        raise Unreachable("it has no usable key")
    return keys


def path_of_keys(issuer, url):
    """The path of the keys. Their server is the issuer's, whatever the URL says."""
    parts = urlsplit(url if isinstance(url, str) else "")
    if origin_of(parts) != origin_of(urlsplit(issuer)):
        raise Unreachable("its keys are on another host")
    return f"{parts.path or '/'}{parts.query and '?'}{parts.query}"


def origin_of(parts):
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)


def as_key(data):
    """The public members of a JWK and its algorithm; None if no token may be signed with it."""
    if not isinstance(data, dict) or not isinstance(data.get("kid"), str):
        return None
    key = {name: data[name] for name in PUBLIC if name in data}
    for algorithm, needs in ALGORITHMS.items():
        is_meant = data.get("alg") in (None, algorithm) and data.get("use") in (None, "sig")
        if is_meant and needs.items() <= key.items() and is_usable(key, algorithm):
            return key | {"alg": algorithm}
    return None


def is_usable(key, algorithm):
    try:
        jwt.PyJWK(key, algorithm)
    except jwt.PyJWTError:
        return False
    return True
