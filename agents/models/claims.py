from functools import partial
from hmac import compare_digest

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone

from agents.exceptions import AlreadyClaimed, ClaimCodeExpired, InvalidClaimCode
from agents.models.claim_codes import digest_of
from agents.models.operators import OperatorKey
from catalogue.models import with_words, words_of
from marketplace.api.exceptions import InsufficientScope
from marketplace.api.scopes import DEFAULT_SCOPES, Scope, allows
from marketplace.models import RandomTextField
from marketplace.secrets import random_text

OPERATOR_WORDS = words_of("operator_name")


class OperatorClaimQuerySet(models.QuerySet):
    def named(self, text):
        """Those whose operator's name has each word of the text, or one it begins."""
        return with_words(self.exclude(operator_email=""), OPERATOR_WORDS, text)

    def pending(self):
        """The operator has a code that the agent has not confirmed."""
        return self.filter(~Q(code_digest=""), claimed_at=None)

    def claimed(self):
        # Each of them has an address, by which they are indexed.
        return self.filter(~Q(operator_email=""), claimed_at__isnull=False)


class OperatorClaim(models.Model):
    """Who operates an agent, once both sides have confirmed it (contract 7, 19).

    Until then, `operator_name` and `operator_email` come from the newest request for a code.
    """

    agent = models.OneToOneField("agents.Agent", models.CASCADE, related_name="claim")
    # Kept as text, unlike a token: the agent may ask for its claim URL again at any time.
    secret = RandomTextField(partial(random_text, 32), max_length=32)
    operator_name = models.CharField(max_length=80, blank=True)
    operator_email = models.EmailField(blank=True)
    # The digest of the confirmed code, or else of the newest one.
    code_digest = models.CharField(max_length=64, blank=True, editable=False)
    claimed_at = models.DateTimeField(null=True, editable=False)
    # claim_key serves as this key's index.
    key = models.ForeignKey(
        OperatorKey, models.SET_NULL, null=True, related_name="claims", db_index=False
    )
    # What the operator may do: as much as the token that confirmed it.
    scopes = ArrayField(
        models.CharField(max_length=16, choices=Scope), default=list, db_default=[], editable=False
    )

    objects = OperatorClaimQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["secret"], name="unique_claim_secret")]
        indexes = [
            # Most agents are never claimed; staff look for those that are, or soon will be.
            models.Index(
                Lower("operator_email"), name="claim_email", condition=~Q(operator_email="")
            ),
            GinIndex(OPERATOR_WORDS, name="claim_words", condition=~Q(operator_email="")),
            models.Index(
                F("id").desc(),
                name="claim_pending",
                condition=Q(claimed_at=None) & ~Q(code_digest=""),
            ),
            models.Index(F("key"), name="claim_key", condition=Q(key__isnull=False)),
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
    def request_code(self, *, name, email, key):
        """A new code for who gives a name, an address and the text of a key.

        Of a claimed agent nothing changes until the agent confirms it. Raises DoesNotExist where it
        was released meanwhile, and has another URL.
        """
        self.refresh_from_db(from_queryset=self.locked().filter(secret=self.secret))
        code = self.codes.issue(self, name=name, email=email, key=key)
        if not self.claimed_at:
            self._copy(code, "operator_name", "operator_email", "code_digest")
            self.save()
        return code.text

    @property
    def is_full(self):
        """Whether the operator may do everything with the agent, not only look and release it."""
        return set(self.scopes).issuperset(DEFAULT_SCOPES)

    def confirm(self, code, token):
        """The agent repeats a code, by one of its tokens; after a lost response once more.

        Of a claimed agent it is the code of whom claims it anew. A token must not gain by an
        operator: he or she may do as much as it may, and one that may do less than that which
        confirmed the claim gives the agent to nobody else. One that expires counts as one that can
        only read, because a claim lasts.
        """
        error = self._confirm(code, token)
        # Raised outside the transaction, which has to keep the count of wrong codes.
        if error is not None:
            raise error

    @transaction.atomic
    def _confirm(self, code, token):
        token, _ = token.locked()
        scopes = token.scopes if token.expires_at is None else [Scope.READ]
        self.refresh_from_db(from_queryset=self.locked())
        digest = digest_of(code, self.agent_id)
        if self.claimed_at:
            if compare_digest(digest, self.code_digest):
                return None
            if not self.codes.exists():
                return AlreadyClaimed()
            if missing := [scope for scope in self.scopes if not allows(scopes, scope)]:
                return InsufficientScope(missing[0])
        valid_code = self.codes.valid().filter(code_digest=digest).first()
        if valid_code is None:
            return self._refusal(digest)
        # Locked, because their last agents may leave them just now; in one order, because another
        # agent may be about to change them the other way round.
        keys = OperatorKey.objects.locked().order_by("pk").in_bulk([self.key_id, valid_code.key_id])
        valid_code.key = keys.get(valid_code.key_id)
        if valid_code.key and valid_code.key.revoked_at:
            return ClaimCodeExpired()
        self._take_over(valid_code, scopes)
        return None

    def _refusal(self, digest):
        """The error of a code that is not valid; a wrong one counts for each that is."""
        if not self.code_digest:
            return InvalidClaimCode()
        is_wrong = not self.codes.filter(code_digest=digest).exists()
        if is_wrong and self.codes.valid().update(wrong_codes=F("wrong_codes") + 1):
            return InvalidClaimCode()
        return ClaimCodeExpired()

    def _take_over(self, valid_code, scopes):
        """Make the operator with this code the only one, and record for staff who it was before."""
        previous, before = self.key, self.operator
        self._copy(valid_code, "operator_name", "operator_email", "code_digest", "key")
        self.scopes, self.claimed_at = list(scopes), timezone.now()
        self.save()
        if self.key and self.key.confirmed_at is None:
            self.key.confirmed_at = self.claimed_at
            self.key.save(update_fields=["confirmed_at"])
        self.codes.void()
        if previous and previous != self.key:
            previous.leave()
        self.agent.snapshot_before_change()
        reason = f"Claimed the agent{f' from {before}' if before else ''}, with the key {self.key}."
        self.agent.take_snapshot(operator=self.operator_name, reason=reason, is_event=True)

    def _copy(self, code, *names):
        for name in names:
            setattr(self, name, getattr(code, name))

    @transaction.atomic
    def release(self):
        """Forget the operator, and what he or she has set.

        The next one gets a new URL, which the last one does not know.
        """
        self.agent.lock()
        self.refresh_from_db(from_queryset=self.locked())
        self._replace_secret()
        previous, self.key = self.key, None
        self.operator_name = self.operator_email = self.code_digest = ""
        self.claimed_at, self.scopes = None, []
        self.save()
        self.agent.change(paused_at=None, limits={})
        if previous:
            previous.leave()

    @transaction.atomic
    def renew_url(self):
        """Another claim URL, in place of one that is known to more than the operator."""
        self.refresh_from_db(from_queryset=self.locked())
        self._replace_secret()
        self.save(update_fields=["secret"])

    def _replace_secret(self):
        """The old page no longer opens, and the codes requested there are void."""
        self.codes.void()
        self.secret = random_text(32)

    def locked(self):
        return OperatorClaim.objects.select_for_update(no_key=True)
