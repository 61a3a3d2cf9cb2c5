from datetime import timedelta

from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac

from agents import tokens
from agents.models.operators import OperatorKey
from marketplace.secrets import random_text

ALPHABET, LENGTH = "BCDFGHJKLMNPQRSTVWXZ", 8
LIFETIME = timedelta(minutes=15)
MAX_WRONG_CODES = 5
MAX_CODES = 3  # valid at once, so that one person's request does not void another's code


class ClaimCodeQuerySet(models.QuerySet):
    def valid(self):
        """Codes that the agent can still confirm."""
        return self.filter(code_expires_at__gt=timezone.now(), wrong_codes__lt=MAX_WRONG_CODES)

    def issue(self, claim, *, name, email, key):
        """Issue a code, whose text is `text`, for a person's name, e-mail address and key.

        The claim's next newest codes stay valid. Call it with the claim locked.
        """
        others = claim.codes.valid().order_by("-pk").values_list("pk", flat=True)
        claim.codes.exclude(pk__in=list(others[: MAX_CODES - 1])).void()
        letters = random_text(LENGTH, ALPHABET)
        key, _ = OperatorKey.objects.get_or_create(
            digest=tokens.digest(key), defaults={"hint": tokens.hint(key)}
        )
        code = self.create(
            claim=claim,
            operator_name=name,
            operator_email=email,
            code_digest=digest_of(letters, claim.agent_id),
            code_expires_at=timezone.now() + LIFETIME,
            key=key,
        )
        code.text = f"{letters[:4]}-{letters[4:]}"
        return code

    def void(self):
        """Delete the codes, and their keys that never claimed an agent."""
        OperatorKey.objects.unconfirmed().filter(pk__in=self.values("key")).delete()
        self.delete()


class ClaimCode(models.Model):
    """A person who claims to operate an agent, and the code by which the agent confirms it.

    Until then `key` opens nothing. Only a digest of the code is stored.
    """

    claim = models.ForeignKey("agents.OperatorClaim", models.CASCADE, related_name="codes")
    operator_name = models.CharField(max_length=80)
    operator_email = models.EmailField()
    key = models.ForeignKey(OperatorKey, models.SET_NULL, null=True, related_name="+")
    code_digest = models.CharField(max_length=64)
    code_expires_at = models.DateTimeField()
    wrong_codes = models.PositiveSmallIntegerField(default=0)  # tried while this one was valid

    objects = ClaimCodeQuerySet.as_manager()

    def __str__(self):
        return f"{self.claim.agent}: {self.operator_name}"


def digest_of(code, agent):
    """Keyed: a plain digest of eight letters could be reversed by trying them all."""
    letters = code.upper().replace("-", "").replace(" ", "")
    return salted_hmac(f"agents.claim.{agent}", letters, algorithm="sha256").hexdigest()
