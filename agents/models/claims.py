from datetime import timedelta
from functools import partial
from hmac import compare_digest

from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.crypto import salted_hmac

from agents.exceptions import AlreadyClaimed, ClaimCodeExpired, InvalidClaimCode
from marketplace.secrets import random_text


class OperatorClaimQuerySet(models.QuerySet):
    def pending(self):
        """The operator has a code that the agent has not confirmed."""
        return self.filter(~Q(code_digest=""), claimed_at=None)

    def claimed(self):
        # Each of them has an address, by which they are indexed.
        return self.filter(~Q(operator_email=""), claimed_at__isnull=False)


class OperatorClaim(models.Model):
    """Who operates an agent, once both sides have confirmed it (contract 5)."""

    CODE_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
    CODE_LENGTH = 8
    CODE_LIFETIME = timedelta(minutes=15)
    MAX_WRONG_CODES = 5

    agent = models.OneToOneField("agents.Agent", models.CASCADE, related_name="claim")
    # Kept as text, unlike a token: the agent may ask for its claim URL again at any time.
    secret = models.CharField(max_length=32, default=partial(random_text, 32), editable=False)
    operator_name = models.CharField(max_length=80, blank=True)
    operator_email = models.EmailField(blank=True)
    code_digest = models.CharField(max_length=64, blank=True, editable=False)
    code_expires_at = models.DateTimeField(null=True, editable=False)
    wrong_codes = models.PositiveSmallIntegerField(default=0, editable=False)
    claimed_at = models.DateTimeField(null=True, editable=False)

    objects = OperatorClaimQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["secret"], name="unique_claim_secret")]
        indexes = [
            # Most agents are never claimed; staff look for those that are, or soon will be.
            models.Index(
                Lower("operator_email"), name="claim_email", condition=~Q(operator_email="")
            ),
            models.Index(
                F("id").desc(),
                name="claim_pending",
                condition=Q(claimed_at=None) & ~Q(code_digest=""),
            ),
        ]

    def __str__(self):
        return f"{self.agent}: {self.status}"

    @property
    def status(self):
        if self.claimed_at:
            return "claimed"
        return "pending" if self.code_digest else "unclaimed"

    @property
    def operator(self):
        """The confirmed operator's name, or None: until then anyone could have typed it."""
        return self.operator_name if self.claimed_at else None

    @transaction.atomic
    def request_code(self, *, name, email):
        """A new code for the operator, replacing any earlier one; it is stored only hashed."""
        self.refresh_from_db(from_queryset=self.locked())
        if self.claimed_at:
            raise AlreadyClaimed
        code = random_text(self.CODE_LENGTH, self.CODE_ALPHABET)
        self.operator_name, self.operator_email = name, email
        self.code_digest = self.digest_of(code)
        self.code_expires_at = timezone.now() + self.CODE_LIFETIME
        self.wrong_codes = 0
        self.save()
        return f"{code[:4]}-{code[4:]}"

    def confirm(self, code):
        """The agent repeats the operator's code; after a lost response it may do so again."""
        error = self._try(code)
        # Raised outside the transaction, which has to keep the count of wrong codes.
        if error is not None:
            raise error

    @transaction.atomic
    def _try(self, code):
        self.refresh_from_db(from_queryset=self.locked())
        is_right = compare_digest(self.digest_of(code), self.code_digest)
        if self.claimed_at:
            return None if is_right else AlreadyClaimed()
        if not self.code_digest:
            return InvalidClaimCode()
        if self.wrong_codes >= self.MAX_WRONG_CODES or self.code_expires_at <= timezone.now():
            return ClaimCodeExpired()
        if not is_right:
            self.wrong_codes += 1
            self.save(update_fields=["wrong_codes"])
            return InvalidClaimCode()
        self.claimed_at = timezone.now()
        self.save(update_fields=["claimed_at"])
        return None

    @transaction.atomic
    def release(self):
        """Forget the operator. The next one gets a new URL, which the last one does not know."""
        self.refresh_from_db(from_queryset=self.locked())
        self.secret = random_text(32)
        self.operator_name = self.operator_email = self.code_digest = ""
        self.code_expires_at = self.claimed_at = None
        self.wrong_codes = 0
        self.save()

    def locked(self):
        return OperatorClaim.objects.select_for_update(no_key=True)

    def digest_of(self, code):
        """Keyed, because eight letters alone could be found from a plain digest."""
        letters = code.upper().replace("-", "").replace(" ", "")
        return salted_hmac(f"agents.claim.{self.secret}", letters, algorithm="sha256").hexdigest()
