from datetime import timedelta

from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.db.models.functions import Now
from rest_framework.exceptions import AuthenticationFailed

from agents import tokens
from agents.models import OperatorClaim, OperatorKey
from connections import redirect_uris
from connections.exceptions import ClientGone, GrantRefused, PageAnswered, TooManyConnections
from connections.models.clients import OAuthClient
from connections.models.connections import Connection, derived
from marketplace.api.scopes import Scope
from marketplace.models import violates
from marketplace.secrets import CODE, TOKEN_SECRET_LENGTH

LIFETIME = timedelta(seconds=60)
KEPT_FOR = timedelta(days=1)  # longer than a consent page can be answered
PATTERN = tokens.pattern_of(CODE)


class AuthorizationCodeQuerySet(models.QuerySet):
    def outdated(self):
        """Codes that opened no connection and can no longer be used."""
        return self.filter(connection=None, expires_at__lt=Now() - KEPT_FOR)

    def of_text(self, text):
        """The code with this text, whatever has become of it, or None."""
        if not tokens.is_well_formed(text, PATTERN):
            return None
        return self.filter(digest=tokens.digest(text)).first()

    def has_answer(self, page, text):
        """Whether a consent page has got this code, which can still be used.

        A second click sends the same answer again, and the browser forgets the first response.
        Raises PageAnswered if the page has got another code, or this one has been used.
        """
        code = self.filter(page=tokens.digest(page)).first()
        if code is None:
            return False
        usable = self.filter(pk=code.pk, spent_at=None, expires_at__gt=Now())
        if not usable.filter(digest=tokens.digest(text)).exists():
            raise PageAnswered
        return True


class AuthorizationCodeManager(models.Manager.from_queryset(AuthorizationCodeQuerySet)):
    def issue(self, page, *, text=None, **consent):
        """A new code, whose `text` is not stored, for what a person has consented to.

        `page` is the text by which the consent page is known: one page gets one code. The consent
        is the code's `client`, `key`, `claim`, `scopes`, `redirect_uri` and `code_challenge`. Call
        it in a transaction, with the claim locked and checked: it is full, and the key's. Raises
        PageAnswered, TooManyConnections and ClientGone.
        """
        Connection.objects.check_number(consent["key"])
        if not consent["client"].hold():
            raise ClientGone
        consent["client"].note_use()
        text = text or tokens.mint(CODE)
        try:
            with transaction.atomic():
                code = self.create(
                    **consent,
                    claimed_at=consent["claim"].claimed_at,
                    digest=tokens.digest(text),
                    page=tokens.digest(page),
                    expires_at=Now() + LIFETIME,
                )
        except IntegrityError as error:
            if not violates(error, "one_code_per_page"):
                raise
            raise PageAnswered from error
        code.text = text
        return code


class AuthorizationCode(models.Model):
    """A client exchanges it, once and within a minute, for the tokens of a connection."""

    client = models.ForeignKey(OAuthClient, models.CASCADE, related_name="codes")
    key = models.ForeignKey(OperatorKey, models.DO_NOTHING, related_name="+", db_index=False)
    claim = models.ForeignKey(OperatorClaim, models.CASCADE, related_name="+")
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope))
    redirect_uri = models.CharField(max_length=redirect_uris.MAX_LENGTH)
    # S256 of the verifier.
    code_challenge = models.CharField(max_length=128)
    # When the claim was made that the person consented with: a later one is another.
    claimed_at = models.DateTimeField(editable=False)
    digest = models.CharField(max_length=64, editable=False)
    page = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(editable=False)
    spent_at = models.DateTimeField(null=True, editable=False)
    connection = models.OneToOneField(
        Connection, models.CASCADE, null=True, editable=False, related_name="code"
    )

    objects = AuthorizationCodeManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="unique_authorization_code_digest"),
            models.UniqueConstraint(fields=["page"], name="one_code_per_page"),
        ]
        indexes = [
            models.Index(
                fields=["expires_at"], name="unused_code_expiry", condition=Q(connection=None)
            )
        ]

    def __str__(self):
        return f"code of {self.client}"

    @transaction.atomic
    def void(self):
        """Spend it for nothing, because its verifier was wrong. A second use, as in `spend`."""
        self.claim.agent.lock()
        code = self.locked()
        if code.spent_at is None:
            code.spent_at = Now()
            code.save(update_fields=["spent_at"])
        else:
            code.end()

    def spend(self):
        """The connection that it opens, with the texts of its tokens. Raises GrantRefused.

        Its second use ends the connection, because one of the two is not the client's own. While
        the agent is paused or suspended, nothing is spent.
        """
        try:
            opened, reason = self._spend()
        except AuthenticationFailed as error:
            raise GrantRefused("the agent is suspended or paused") from error
        except TooManyConnections as error:
            raise GrantRefused("the operator has too many connections") from error
        if opened is None:  # Raised outside of the transaction that ends the connection.
            raise GrantRefused(reason)
        return opened

    @transaction.atomic
    def _spend(self):
        self.claim.agent.lock_active()
        code = self.locked()
        if code.spent_at is not None:
            code.end()
            return None, "the code was used before"
        if code.expires_at <= code.now:
            return None, "the code has expired"
        claim = OperatorClaim.objects.select_for_update(no_key=True).get(pk=code.claim_id)
        key = OperatorKey.objects.usable().locked().filter(pk=code.key_id).first()
        is_same = (claim.claimed_at, claim.key_id) == (code.claimed_at, code.key_id)
        if key is None or not is_same or not claim.is_full:
            return None, "the claim is another one"
        code.connection = Connection.objects.open(
            client=code.client, key=key, claim=claim, scopes=code.scopes
        )
        code.spent_at = code.now
        code.save(update_fields=["connection", "spent_at"])
        return code.connection, ""

    def locked(self):
        """The row as it is now, locked, with the time of the database as `now`."""
        rows = AuthorizationCode.objects.select_for_update(no_key=True)
        return rows.annotate(now=Now()).get(pk=self.pk)

    def end(self):
        """End the connection that it opened, if it did."""
        if self.connection is not None:
            self.connection.end("Its code was used twice", by=("system", ""))


def code_text(page, answer):
    """The text of the code that a consent page gets with this answer."""
    return tokens.text_of(CODE, derived("code", f"{page} {answer}", TOKEN_SECRET_LENGTH))
