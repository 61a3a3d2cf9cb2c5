from datetime import timedelta
from functools import partial

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce, Now

from agents import tokens
from connections import redirect_uris
from connections.exceptions import TooManyClients
from connections.redirect_uris import host_of, matches
from marketplace.models import RandomTextField, make_public_id, newest_where

UNUSED, WITHOUT_CONNECTION = timedelta(days=1), timedelta(days=30)  # how long such a client stays
# Registrations take turns at the limit, so that it is exact.
TAKE_TURN = "SELECT pg_advisory_xact_lock('connections_oauthclient'::regclass::bigint)"


class OAuthClientQuerySet(models.QuerySet):
    def outdated(self):
        """Clients that nobody has connected for a day, or has used for 30 (contract 35.14)."""
        connections = OAuthClient.connections.rel.related_model.objects
        codes = OAuthClient.codes.rel.related_model.objects
        return self.filter(
            ~Exists(connections.filter(client=OuterRef("pk"))),
            ~Exists(codes.filter(client=OuterRef("pk"), expires_at__gt=Now())),
            Q(last_used_at=None, created_at__lt=Now() - UNUSED)
            | Q(last_used_at__lt=Now() - WITHOUT_CONNECTION),
        )

    @transaction.atomic
    def prune(self):
        """Delete the outdated ones; returns how many.

        One that a person is just connecting is locked, and used from then on.
        """
        rows = self.outdated().select_for_update(skip_locked=True).values_list("pk", flat=True)
        _, numbers = OAuthClient.objects.filter(pk__in=list(rows)).delete()
        return numbers.get(OAuthClient._meta.label, 0)

    def of_id(self, text):
        """The client that a request names, or None."""
        is_text = text and "\0" not in text  # which PostgreSQL does not store
        return self.filter(public_id=text).first() if is_text else None


class OAuthClientManager(models.Manager.from_queryset(OAuthClientQuerySet)):
    @transaction.atomic
    def register(self, *, name, redirect_uris):
        """Register a client; its fields have been checked. Raises TooManyClients."""
        with connection.cursor() as cursor:
            cursor.execute(TAKE_TURN)
        if self.count() >= OAuthClient.MAX_NUMBER:
            self.prune()
            if self.count() >= OAuthClient.MAX_NUMBER:
                raise TooManyClients
        return self.create(name=name, redirect_uris=redirect_uris)


class OAuthClient(models.Model):
    """A program that has registered itself (contract 35.11). It has no secret: anybody may say
    that they are it, so what counts is where its codes are sent.
    """

    MAX_NUMBER = 10_000
    MAX_URIS = 10

    public_id = RandomTextField(partial(make_public_id, "client"), max_length=40)
    name = models.CharField(max_length=80, blank=True)
    redirect_uris = ArrayField(models.CharField(max_length=redirect_uris.MAX_LENGTH))
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, editable=False)
    blocked_at = models.DateTimeField(null=True, editable=False)

    objects = OAuthClientManager()

    class Meta:
        verbose_name = "client"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["public_id"], name="unique_oauth_client_public_id")
        ]
        indexes = [
            models.Index(
                Coalesce(F("last_used_at"), F("created_at")), name="oauth_client_last_use"
            ),
            newest_where("oauth_client_blocked", Q(blocked_at__isnull=False)),
        ]

    def __str__(self):
        return self.name or self.hosts

    @property
    def hosts(self):
        """The hosts of its addresses, once each."""
        return ", ".join(dict.fromkeys(host_of(uri) for uri in self.redirect_uris))

    def allows(self, uri):
        """Whether its codes may be sent to this address."""
        return any(matches(registered, uri) for registered in self.redirect_uris)

    def note_use(self):
        """Record its use, as a token's use is recorded."""
        old = Q(last_used_at=None) | Q(last_used_at__lt=Now() - tokens.NOTED_EVERY)
        OAuthClient.objects.filter(old, pk=self.pk).update(last_used_at=Now())

    def hold(self):
        """Whether it may go on. If so, it may until the transaction ends."""
        rows = OAuthClient.objects.select_for_update(no_key=True)
        return rows.filter(pk=self.pk, blocked_at=None).first() is not None

    @transaction.atomic
    def block(self):
        """Refuse it, and end its connections; returns whether that changes it."""
        changed = OAuthClient.objects.filter(pk=self.pk, blocked_at=None).update(blocked_at=Now())
        self.connections.end_all("Staff blocked its client")
        self.refresh_from_db(fields=["blocked_at"])
        return changed == 1

    def unblock(self):
        self.blocked_at = None
        self.save(update_fields=["blocked_at"])
