"""The keys that an issuer of ID tokens publishes, and its other documents (contract 31.9, 32.4)."""

import logging
from datetime import timedelta
from urllib.parse import urlsplit

import jwt
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from marketplace.addresses import DEFAULT_PORTS
from marketplace.api.exceptions import Unavailable
from marketplace.documents import (
    SECONDS,
    Busy,
    Unreachable,
    fetch_json,
    within_bounds,
)
from marketplace.id_tokens import ALGORITHMS, IdTokenRefused

KEYS_LAST = timedelta(hours=1)  # then they are fetched again, because an issuer may withdraw one
FETCHED_EVERY = timedelta(minutes=1)  # at most
DISCOVERY = "/.well-known/openid-configuration"
PUBLIC = ["kid", "kty", "crv", "x", "y", "n", "e"]  # members of a key; a private one has more
logger = logging.getLogger(__name__)


class IssuerUnavailable(Unavailable):
    """A document of an issuer is needed, and cannot be fetched now."""

    def __init__(self, seconds):
        super().__init__()
        self.headers = {"Retry-After": str(seconds)}


class IssuerBusy(IssuerUnavailable):
    """Another request is fetching its documents right now."""


class PublishedKeysQuerySet(models.QuerySet):
    def due(self):
        """The issuers whose keys nobody has tried to fetch within the last minute."""
        return self.filter(Q(tried_at=None) | Q(tried_at__lte=Now() - FETCHED_EVERY))


class PublishedKeys(models.Model):
    """The public keys of an issuer, which all processes share."""

    url = models.CharField(max_length=255)
    keys = models.JSONField(default=list)  # JWKs, each with its `alg`, and its `kid` if it has one
    fetched_at = models.DateTimeField(null=True)
    tried_at = models.DateTimeField(null=True)  # when the last fetch began

    objects = PublishedKeysQuerySet.as_manager()

    class Meta:
        abstract = True

    def __str__(self):
        return self.url

    def key_of(self, id_token):
        """The key that a token names. Fetches keys if this one is unknown or the keys are old.

        Raises IdTokenRefused, and IssuerUnavailable if keys are needed and cannot be had.
        """
        # Without a name, nothing tells that the only key has been replaced.
        if self.is_old or id_token.key_id is None or self.find(id_token) is None:
            self.refresh()
        key = self.find(id_token)
        if key is None:
            raise IdTokenRefused("its issuer has no such key")
        return key

    @property
    def is_old(self):
        return self.fetched_at is None or self.fetched_at < timezone.now() - KEYS_LAST

    def find(self, id_token):
        """The key that a token names, or the only one of its algorithm if it names none."""
        name, keys = id_token.key_id, [k for k in self.keys if k["alg"] == id_token.algorithm]
        if name is None:
            return keys[0] if len(keys) == 1 else None
        return next((key for key in keys if key.get("kid") == name), None)

    def refresh(self):
        """Fetch the keys, unless that has succeeded within the last minute.

        Raises IssuerUnavailable.
        """
        # Most requests need no fetch, so look at the row before this thread takes the turn.
        if self.rows.due().exists() and self.fetch():
            return
        self.refresh_from_db()
        if self.fetched_at is None or self.fetched_at < self.tried_at:
            raise self.reason_to_wait()

    def fetch(self):
        """Fetch and store the documents; False if another process has begun to do so."""
        try:
            documents = within_bounds(self.may_fetch, self.documents, self.url)
        except Busy as error:
            raise IssuerBusy(SECONDS) from error
        except Unreachable as error:
            logger.warning("The keys of %s cannot be fetched: %s", self.url, error)
            raise IssuerUnavailable(FETCHED_EVERY.seconds) from error
        if documents is None:
            return False
        # The database's clock also says when the fetch began.
        self.rows.update(**documents, fetched_at=Now())
        self.refresh_from_db()
        return True

    @staticmethod
    def documents(issuer, deadline):
        """The fields that are made of an issuer's documents. Raises Unreachable."""
        return {"keys": fetch_keys(issuer, discover(issuer, deadline), deadline)}

    @property
    def rows(self):
        return type(self).objects.filter(pk=self.pk)

    def may_fetch(self):
        """Whether this caller, and no other one in any process, may fetch the keys now."""
        return bool(self.rows.due().update(tried_at=Now()))

    def reason_to_wait(self):
        """Another thread or process is fetching, or could not fetch."""
        self.refresh_from_db(fields=["tried_at"])
        past = (timezone.now() - self.tried_at).total_seconds()
        is_running = past < SECONDS
        until = SECONDS if is_running else FETCHED_EVERY.total_seconds()
        seconds = max(1, min(round(until - past) + 1, 60))
        return IssuerBusy(seconds) if is_running else IssuerUnavailable(seconds)


def discover(issuer, deadline):
    """The discovery document of an issuer. Raises Unreachable."""
    document = fetch_json(issuer, urlsplit(issuer).path.rstrip("/") + DISCOVERY, deadline)
    if document.get("issuer") != issuer:
        raise Unreachable(f"{DISCOVERY} names another issuer")
    return document


def fetch_keys(issuer, document, deadline):
    """The usable keys of an issuer, from its own host. Raises Unreachable."""
    path = own_path(issuer, document.get("jwks_uri"), "its keys are")
    keys = fetch_json(issuer, path, deadline).get("keys")
    keys = [key for data in keys if (key := as_key(data))] if isinstance(keys, list) else []
    if not keys:
        raise Unreachable("it has no usable key")
    return keys


def own_path(issuer, url, what):
    """The path and query of an issuer's URL. Its server is the issuer's, whatever the URL says."""
    parts = urlsplit(url if isinstance(url, str) else "")
    if origin_of(parts) != origin_of(urlsplit(issuer)):
        raise Unreachable(f"{what} on another host")
    return f"{parts.path or '/'}{parts.query and '?'}{parts.query}"


def origin_of(parts):
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)


def as_key(data):
    """The public members of a JWK and its algorithm; None if no token may be signed with it."""
    if not isinstance(data, dict) or not isinstance(data.get("kid", ""), str):
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
