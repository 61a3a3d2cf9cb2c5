from hashlib import sha256
from string import digits

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.db import models, transaction
from django.db.models import F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from marketplace.secrets import random_text

# The pattern of slugs and handles.
SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
# The maximum length of a reason that staff give for an action.
MAX_REASON = 1000


def make_public_id(kind):
    """An identifier for the wire, `skill_4fK…`: random, so it reveals nothing about its row."""
    return f"{kind}_{random_text(16)}"


def newest_where(name, condition):
    """A partial index for the lists of staff, which may find few or no such rows."""
    return models.Index(F("id").desc(), name=name, condition=condition)


def max_length(model, name):
    """The maximum length of a text column; for an array column, of one of its items."""
    field = model._meta.get_field(name)  # noqa: SLF001
    return getattr(field, "base_field", field).max_length


def violates(error, constraint):
    """Whether an IntegrityError came from this constraint; its class does not tell."""
    diagnosis = getattr(error.__cause__, "diag", None)
    return diagnosis is not None and diagnosis.constraint_name == constraint


class MigratedAsDjangos:
    """For migrations, it is the Django field that it extends."""

    def deconstruct(self):
        name, _, args, options = super().deconstruct()
        return name, f"django.db.models.{self.get_internal_type()}", args, options


class RandomTextField(MigratedAsDjangos, models.CharField):
    """A text that `make` generates for each new row; migrations see no default."""

    def __init__(self, make=None, **options):
        super().__init__(**{"editable": False, **options})
        self.make = make

    def get_default(self):
        return self.make()


class CountedQuerySet(models.QuerySet):
    """Rows with counters of other rows: COUNTERS of the model is {name: (relation, aggregate)}."""

    def with_true_counts(self):
        """Annotate `true_<counter>`, computed from the counted rows, for each of COUNTERS."""
        return self.annotate(
            **{
                f"true_{name}": total_of(self.model, relation, aggregate)
                for name, (relation, aggregate) in self.model.COUNTERS.items()
            }
        )

    def miscounted(self):
        """Rows with a counter that differs from the counted rows."""
        differs = Q()
        for name in self.model.COUNTERS:
            differs |= ~Q(**{name: F(f"true_{name}")})
        return self.with_true_counts().filter(differs).only(*self.model.COUNTERS)

    def recount(self, row):
        """Recompute the row's counters."""
        with transaction.atomic():
            # A running write changes the counter last and waits for this lock to do so. Its rows
            # are not visible before. So nothing is counted twice or missed.
            self.select_for_update(no_key=True).only("pk").get(pk=row.pk)
            true = self.with_true_counts().only("pk").get(pk=row.pk)
            self.filter(pk=row.pk).update(
                **{name: getattr(true, f"true_{name}") for name in self.model.COUNTERS}
            )


def total_of(model, relation, aggregate):
    """An aggregate over the rows of a reverse relation, as a subquery; 0 without rows."""
    field = model._meta.get_field(relation).field  # noqa: SLF001
    rows = field.model.objects.filter(**{field.name: OuterRef("pk")}).order_by()
    totals = rows.values(field.name).annotate(total=aggregate).values("total")
    return Coalesce(Subquery(totals), Value(0), output_field=models.DecimalField())


class RateCount(models.Model):
    """One counter of one window of one rate limit; read and written by ratelimits/counters.py.

    The table is UNLOGGED (schema/rate_counts.sql): counting writes nothing to disk, and only a
    crash of the database resets the windows.
    """

    # The digest of the counted key, which keeps the rows and their index small.
    key = models.UUIDField(primary_key=True, editable=False)
    count = models.IntegerField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self):
        return str(self.key)


class History(models.Model):
    """The primary's history of rows; read and written by infrastructure/replicas/.

    It has one row. A replica receives it with everything that was written in that history.
    """

    name = models.TextField()

    def __str__(self):
        return self.name


class StaffRemark(models.Model):
    """What staff say to each other about a row of any model."""

    content_type = models.ForeignKey(ContentType, models.CASCADE, related_name="+", db_index=False)
    object_id = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class Note(StaffRemark):
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    text = models.CharField(max_length=MAX_REASON)

    class Meta:
        ordering = ["-id"]
        # Serves as the index of the content type, too.
        indexes = [models.Index("content_type", "object_id", F("id").desc(), name="note_newest")]

    def __str__(self):
        return self.text


class AssignmentManager(models.Manager):
    def assign(self, row, assignee):
        """Give a row to one of the staff, or with None to nobody; returns whether that is new."""
        if assignee is None:
            deleted, _ = row.assignments.all().delete()
            return deleted > 0
        if row.assignments.filter(assignee=assignee).exists():
            return False
        values = {"assignee": assignee, "object_repr": str(row)[:200]}
        row.assignments.update_or_create(defaults=values)
        return True


class Assignment(StaffRemark):
    """The member of staff who looks after a row."""

    assignee = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    # The row's `str()`, stored as in Django's log, so that lists need not load the row.
    object_repr = models.CharField(max_length=200)

    objects = AssignmentManager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["content_type", "object_id"], name="one_assignment_per_row"
            )
        ]

    def __str__(self):
        return f"{self.object_repr}: {self.assignee}"


class RecoveryCodeQuerySet(models.QuerySet):
    NUMBER = 10

    def renew(self, device):
        """The texts of new codes of a second factor, in place of its old ones."""
        texts = [random_text(RecoveryCode.LENGTH, digits) for _ in range(self.NUMBER)]
        self.filter(device=device).delete()
        self.bulk_create(RecoveryCode(device=device, digest=digest_of(text)) for text in texts)
        return texts

    def spend(self, device, text):
        """Use up the code with this text; returns whether there was one."""
        number, _ = self.filter(device=device, digest=digest_of(text)).delete()
        return number == 1


class RecoveryCode(models.Model):
    """Replaces, once, a code of the authenticator app. Only a digest of it is stored."""

    # Digits, as the app's codes, which phones type on the same keys. Longer, so that they differ.
    LENGTH = 20

    device = models.ForeignKey(
        "otp_totp.TOTPDevice", models.CASCADE, related_name="recovery_codes", db_index=False
    )
    digest = models.CharField(max_length=64)

    objects = RecoveryCodeQuerySet.as_manager()

    class Meta:
        # Begins with the device, and serves as its index.
        constraints = [
            models.UniqueConstraint(fields=["device", "digest"], name="unique_recovery_code")
        ]

    def __str__(self):
        return f"recovery code of {self.device}"


def digest_of(code):
    return sha256(code.encode()).hexdigest()
