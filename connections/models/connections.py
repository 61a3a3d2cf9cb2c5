from datetime import timedelta

from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.crypto import salted_hmac
from rest_framework.exceptions import AuthenticationFailed

from agents import tokens
from agents.models import AgentToken, OperatorClaim, OperatorKey
from audit.models import AuditEvent
from connections.exceptions import GrantRefused, TooManyConnections
from connections.models.clients import OAuthClient
from connections.redirect_uris import host_of, is_loopback
from marketplace.api.scopes import DEFAULT_SCOPES, Scope
from marketplace.secrets import AGENT, BASE62, REFRESH, TOKEN_SECRET_LENGTH, in_digits

ACCESS_LIFETIME = timedelta(hours=1)
LIFETIME = timedelta(days=30)  # of a refresh token, from its last use
GRACE = timedelta(seconds=30)  # in which the predecessors of a refresh token work
ENDED_FOR = timedelta(days=30)  # how long the row of an ended connection stays
PATTERN = tokens.pattern_of(REFRESH)


class ConnectionQuerySet(models.QuerySet):
    def live(self):
        """Connections that nobody has ended, and whose refresh token has not expired."""
        return self.filter(tokens__revoked_at=None, expires_at__gt=Now())

    def for_list(self):
        """With what a list shows of each."""
        rows = self.select_related("client", "claim__agent", "code")
        return rows.annotate(
            last_used_at=F("tokens__last_used_at"), ended_at=F("tokens__revoked_at")
        )

    def usable(self):
        """`live` ones, whose claim still is what the person consented with.

        Triggers end all others (schema/ends.sql); every refresh looks again.
        """
        return self.live().filter(
            client__blocked_at=None,
            key__revoked_at=None,
            claim__key=F("key"),
            claim__claimed_at__isnull=False,
            claim__scopes__contains=list(DEFAULT_SCOPES),
        )

    def outdated(self):
        """Those that ended 30 days ago."""
        before = Now() - ENDED_FOR
        return self.filter(Q(tokens__revoked_at__lt=before) | Q(expires_at__lt=before))

    def end_all(self, reason):
        """End them; returns how many were live or expired."""
        rows = AgentToken.objects.filter(connection__in=self, revoked_at=None)
        return rows.update(revoked_at=Now(), revocation_reason=reason)

    def of_refresh_token(self, text):
        """The connection of a refresh token, whichever of its generations, or None."""
        if not tokens.is_well_formed(text, PATTERN):
            return None
        return (
            self.filter(family=tokens.family_of(text))
            .select_related("client", "claim__agent")
            .first()
        )


class ConnectionManager(models.Manager.from_queryset(ConnectionQuerySet)):
    def of_token(self, text):
        """The connection of an access token or a refresh token, or None."""
        if tokens.is_well_formed(text):
            rows = self.filter(tokens__digest=tokens.digest(text))
            return rows.select_related("client", "claim__agent").first()
        return self.of_refresh_token(text)

    @transaction.atomic
    def open(self, *, client, key, claim, scopes):
        """Open a connection; returns it with the texts `access_token` and `refresh_token`.

        Call it with the claim and the key checked and locked. Raises TooManyConnections and
        GrantRefused.
        """
        self.check_number(key)
        if not client.hold():
            raise GrantRefused("staff have blocked the client")
        refresh_token = tokens.mint(REFRESH)
        row = self.create(
            client=client,
            key=key,
            claim=claim,
            scopes=[scope for scope in DEFAULT_SCOPES if scope in scopes],
            family=tokens.family_of(refresh_token),
            refresh_digest=tokens.digest(refresh_token),
            expires_at=Now() + LIFETIME,
        )
        token = AgentToken.objects.issue(
            claim.agent,
            row.scopes,
            name=str(client)[:80],
            expires_at=Now() + ACCESS_LIFETIME,
            connection=row,
        )
        row.access, row.seconds = token, int(ACCESS_LIFETIME.total_seconds())
        row.access_token, row.refresh_token = token.text, refresh_token
        host, scopes = client.hosts, ", ".join(row.scopes)
        by = ("operator", claim.operator_name)
        message = f"Its codes go to {host}. Scopes: {scopes}."
        AuditEvent.objects.record("open_connection", row, by=by, message=message)
        return row

    def check_number(self, key):
        """Raises TooManyConnections."""
        if key.connections.live().count() >= Connection.MAX_OF_KEY:
            raise TooManyConnections

    def refresh(self, client, text, scopes=()):
        """New tokens in place of those of a connection; returns it with their texts.

        `scopes` narrow the access token to those of them that the person consented to. Raises
        GrantRefused. The use of an old refresh token ends the connection (contract 35.8).
        """
        row = self.of_refresh_token(text)
        if row is None or row.client_id != client.pk:
            raise GrantRefused("the client has no such refresh token")
        try:
            is_replay = row.rotate(text, scopes)
        except AuthenticationFailed as error:
            raise GrantRefused("the agent is suspended or paused") from error
        # Raised outside of the transaction that ends it.
        if is_replay:
            raise GrantRefused("the refresh token was used before")
        return row


class Connection(models.Model):
    """A client that acts for an agent, as the agent's operator has consented to (contract 35).

    Its one AgentToken is replaced in place, and the end of that is its end: `tokens.get()`.
    """

    MAX_OF_KEY = 10

    client = models.ForeignKey(OAuthClient, models.PROTECT, related_name="connections")
    # A key that has claimed an agent is never deleted. Django would look here for all others.
    key = models.ForeignKey(OperatorKey, models.DO_NOTHING, related_name="connections")
    claim = models.ForeignKey(OperatorClaim, models.CASCADE, related_name="connections")
    # Those that the person allowed; the access token may have fewer.
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope))
    # The digest of the first part of all refresh tokens of the connection, by which an old one is
    # told from one that never existed; and of the present one as a whole.
    family = models.CharField(max_length=64, editable=False)
    refresh_digest = models.CharField(max_length=64, editable=False)
    # `[[digest, seconds since 1970 until which it works], …]`, newest first.
    predecessors = models.JSONField(default=list, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(editable=False)

    objects = ConnectionManager()

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["family"], name="unique_connection_family")]
        indexes = [models.Index(fields=["expires_at"], name="connection_expiry")]

    def __str__(self):
        return f"{self.client} for {self.claim.agent}"

    @property
    def host(self):
        """The host that its code was sent to, or "" for an app on the person's own computer."""
        uri = self.code.redirect_uri
        return "" if is_loopback(uri) else host_of(uri)

    @property
    def state(self):
        """ "live", "expired" or "ended", for a row of `for_list`."""
        if self.ended_at:
            return "ended"
        return "expired" if self.expires_at <= timezone.now() else "live"

    @property
    def token(self):
        return self.tokens.get()

    @transaction.atomic
    def rotate(self, text, scopes):
        """Replace both tokens; returns whether that was refused as a replay, which ends it.

        A client may send one refresh token several times at once. All of them get the same
        successor, because a successor is computed from its predecessor: so none of them holds a
        token that has been replaced already.
        """
        # Whoever locks several of them does it in this order: agent, key, client, token.
        self.claim.agent.lock_active()
        self.client.note_use()
        now = self.lock()
        digest = tokens.digest(text)
        digests = [self.refresh_digest, *self.predecessors_at(now)]
        if digest not in digests:
            self.end("An old refresh token was used again")
            return True
        generation = digests.index(digest)
        for _ in range(generation - 1):
            text = successor_of(text)
        self.access_token, self.refresh_token = access_token_of(text), successor_of(text)
        if generation == 0:
            self.replace(digest, now, scopes)
        elif tokens.digest(self.refresh_token) != self.refresh_digest:
            raise GrantRefused("SECRET_KEY has been changed since")
        self.seconds = max(int((self.access.expires_at - now).total_seconds()), 0)
        return False

    def lock(self):
        """Lock the connection by its token; returns the database's time. Raises GrantRefused."""
        rows = AgentToken.objects.select_for_update(no_key=True).filter(connection=self)
        self.access = rows.annotate(now=Now()).first()
        if not Connection.objects.usable().filter(pk=self.pk).exists():
            raise GrantRefused("the connection has ended")
        self.refresh_from_db(fields=["refresh_digest", "predecessors", "scopes"])
        return self.access.now

    def predecessors_at(self, now):
        return [digest for digest, until in self.predecessors if until > now.timestamp()]

    def replace(self, digest, now, scopes):
        """Store the digests of the new tokens."""
        until = (now + GRACE).timestamp()
        recent = [row for row in self.predecessors if row[1] > now.timestamp()]
        self.predecessors = [[digest, until], *recent]
        self.refresh_digest = tokens.digest(self.refresh_token)
        self.expires_at = now + LIFETIME
        self.save(update_fields=["predecessors", "refresh_digest", "expires_at"])
        self.access.digest = tokens.digest(self.access_token)
        self.access.hint = tokens.hint(self.access_token)
        self.access.scopes = [scope for scope in self.scopes if scope in scopes] or self.scopes
        self.access.expires_at = now + ACCESS_LIFETIME
        self.access.save(update_fields=["digest", "hint", "scopes", "expires_at"])

    @transaction.atomic
    def end(self, reason, *, by=None):
        """End it with its tokens; returns whether it was live. If so, that is an event."""
        ended = Connection.objects.filter(pk=self.pk).end_all(reason)
        if ended:
            AuditEvent.objects.record("end_connection", self, by=by, message=f"{reason}.")
        return ended == 1


def successor_of(text):
    """The refresh token that replaces this one."""
    family = text[-tokens.OPAQUE_LENGTH :][: tokens.FAMILY_LENGTH]
    secret = derived("refresh", text, TOKEN_SECRET_LENGTH - tokens.FAMILY_LENGTH)
    return tokens.text_of(REFRESH, family + secret)


def access_token_of(text):
    """The access token that comes with the successor of this refresh token."""
    return tokens.text_of(AGENT, derived("access", text, TOKEN_SECRET_LENGTH))


def derived(purpose, text, length):
    """Random for everybody who does not know both the text and SECRET_KEY."""
    secret = salted_hmac(f"connections.{purpose}", text, algorithm="sha512").digest()
    return in_digits(int.from_bytes(secret, "big") % len(BASE62) ** length, length)
