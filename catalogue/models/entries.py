"""What skills and personas share."""

from urllib.parse import quote

from django.contrib.contenttypes.fields import GenericRelation
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import connection, models, transaction
from django.db.models import F, Q
from django.db.models.functions import Collate, Lower
from django.utils import timezone

from catalogue.models.checks import Checked
from catalogue.models.inspected import MESSAGES, Inspected
from catalogue.models.labels import LabelsField, NfcCharField, label_key, once
from catalogue.models.of_text import DigestOfText, NumberOfText, TokensOfText
from catalogue.models.purges import Purge
from catalogue.models.querysets import EntryQuerySet
from catalogue.models.status import Status
from catalogue.models.visible_texts import VisibleTexts
from catalogue.models.words import words_of
from marketplace.models import MAX_REASON, SLUG, Assignment, Note

slug_validator = RegexValidator(
    rf"\A{SLUG}\Z", "Use a-z, 0-9 and single hyphens between them, such as pdf-tables."
)


# Sort keys that are expressions. The lists and the indexes order by the same ones.
TITLE_WITHOUT_CASE = Collate(Lower("title"), "C")
# The words of a title and a slug, for staff who search unpublished entries.
TITLE_AND_SLUG_WORDS = words_of("title", "slug")


class Kind(models.TextChoices):
    SKILL = "skill", "Skills"
    PERSONA = "persona", "Personas"


DEPRECATION = ["deprecation_message", "deprecated_at", "successor"]
# What staff read for each refusal of the triggers (schema/versions.sql).
REFUSALS = {
    "text_is_not_recalled": "This text was recalled. Change it, or lift the recall of its version.",
    "text_is_not_purged": "This text was purged and cannot come back. Change it.",
}


class Entry(VisibleTexts, Inspected, Checked):
    """What skills and personas share (contract 8)."""

    LONG_COLUMNS = ["content"]
    is_outdated, repairs = False, ()
    # What a file's frontmatter says about an entry, besides its name: texts, lists of words.
    TEXT_FIELDS = ["title", "description", "category", "author", "version", "license"]
    LIST_FIELDS = ["tags", "runtimes"]
    DERIVED = {"findings": {"slug", *TEXT_FIELDS, *LIST_FIELDS, "content", *MESSAGES}}

    slug = models.CharField(max_length=100, validators=[slug_validator])
    title = NfcCharField(max_length=200)
    description = models.TextField(blank=True)
    category = NfcCharField(max_length=64, blank=True)
    tags = LabelsField()
    runtimes = LabelsField()
    author = NfcCharField(max_length=200, blank=True)
    version = models.CharField(max_length=64, blank=True)
    license = NfcCharField(max_length=300, blank=True)
    content = models.TextField()
    # The number of the newest version. A published entry has its text.
    number = NumberOfText(default=0, db_default=0, editable=False)
    status = models.CharField(max_length=9, choices=Status, default=Status.DRAFT)
    withdrawn_at = models.DateTimeField(null=True, editable=False)
    # An entry that is withdrawn for a reason is recalled.
    withdrawal_reason = models.CharField(
        "recall reason", max_length=MAX_REASON, blank=True, editable=False
    )
    # Staff advise against the entry, which stays installable; empty if they do not.
    deprecation_message = models.CharField(
        max_length=MAX_REASON, blank=True, db_default="", editable=False
    )
    deprecated_at = models.DateTimeField(null=True, editable=False)
    # Its index holds deprecated entries only, and adds nothing to the cost of an install.
    successor = models.ForeignKey(
        "self", models.SET_NULL, null=True, editable=False, related_name="+", db_index=False
    )
    source = models.TextField(
        blank=True,
        help_text="Where the entry was imported from. Commands find it by this, uploads by its "
        "slug first.",
    )
    # The source before an agent's submission took over, which imports leave alone since then.
    former_source = models.TextField(blank=True, default="", db_default="", editable=False)
    notes, assignments = GenericRelation(Note), GenericRelation(Assignment)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    # The digest of the text that agents get, `sha256:<hex>` (contract 16.1).
    digest = DigestOfText(max_length=71, blank=True, default="", db_default="", editable=False)
    # An estimate of what the content costs an agent's context: characters / 4, rounded up.
    context_tokens = TokensOfText(default=0, db_default=0, editable=False)

    objects = EntryQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["slug"], name="unique_%(class)s_slug"),
            models.UniqueConstraint(fields=["public_id"], name="unique_%(class)s_public_id"),
            models.CheckConstraint(
                condition=Q(successor=None) | (~Q(deprecation_message="") & ~Q(successor=F("id"))),
                name="%(class)s_successor_of_deprecated",
            ),
        ]

    def __str__(self):
        return self.slug

    @classmethod
    def frontmatter_fields(cls):
        return [*cls.TEXT_FIELDS, *cls.LIST_FIELDS]

    @classmethod
    def frontmatter_values(cls, fields):
        """`{name: value}` of a Frontmatter about an entry."""
        return {name: fields.line(name) for name in cls.TEXT_FIELDS} | {
            name: fields.words(name) for name in cls.LIST_FIELDS
        }

    @classmethod
    def long_columns(cls, relation=""):
        """Columns that no list shows; `relation` leads to the entry: `skill__`."""
        return [f"{relation}{name}" for name in cls.LONG_COLUMNS]

    def get_absolute_url(self):
        return f"/{self.kind}s/{quote(self.slug, safe='')}"

    @property
    def is_published(self):
        return self.status == Status.PUBLISHED

    @property
    def is_recalled(self):
        return self.status == Status.WITHDRAWN and self.withdrawal_reason != ""

    @property
    def state(self):
        """Its status as people read it, which tells a recall from other withdrawn entries."""
        return "recalled" if self.is_recalled else self.status

    def validate_constraints(self, exclude=None):
        super().validate_constraints(exclude)
        self.check_text()

    def check_text(self, digest=None):
        """Raises ValidationError if its text is refused, or is published and may not be.

        `digest` is of the stored text if that stays. Otherwise, a save may repair it differently.
        The triggers check the latter at the end of the transaction (schema/versions.sql).
        """
        self.check_characters()
        if not self.is_published:
            return
        function = f"catalogue_{self.kind}_refusal"
        Purge.objects.wait_for_purges()
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT {function}(%s, coalesce(%s, {self.DIGEST}), {self.DIGEST})",
                [self.pk, digest, *self.digest_sources(), *self.written_sources(self.content)],
            )
            [refusal] = cursor.fetchone()
        if refusal:
            raise ValidationError({"content": REFUSALS[refusal]})

    def lock(self):
        """Serialize changes to the entry. An install or a review that counts on it waits, too.

        `no_key`, so that inserting rows that refer to the entry does not wait.
        """
        type(self).objects.select_for_update(no_key=True).only("pk").get(pk=self.pk)

    def publish(self):
        """Serve the entry, and end its recall.

        Raises ValidationError if its text was recalled or purged.
        """
        self._become(Status.PUBLISHED)

    def redraft(self):
        """Take the entry back from the catalogue to work on it."""
        self._become(Status.DRAFT)

    def withdraw(self):
        """Take the entry out of the catalogue without a reason."""
        self._become(Status.WITHDRAWN, timezone.now())

    def recall(self, reason, successor=None):
        """Take the entry out of the catalogue for a reason that its page and its agents show.

        With a successor it is deprecated, too, so that its agents read what to use instead.
        """
        self._become(Status.WITHDRAWN, timezone.now(), reason, successor)

    def deprecate(self, message, successor=None):
        """Advise against the entry, which stays installable (contract 18.6).

        Returns whether that changes it.
        """
        if (self.deprecation_message, self.successor) == (message, successor):
            return False
        self._advise_against(message, successor)
        self.save(update_fields=[*DEPRECATION, "updated_at"])
        return True

    @transaction.atomic
    def change_labels(self, *, add_tags=(), remove_tags=(), **values):
        """Add and remove tags; set the category and the license where there is a value.

        Returns whether that changes it. Raises ValidationError if it adds too many tags, or hidden
        characters.
        """
        self.lock()
        self.refresh_from_db()
        before = [getattr(self, name) for name in (*values, "tags")]
        for name, value in values.items():
            setattr(self, name, value or getattr(self, name))
        removed = {label_key(tag) for tag in remove_tags}
        self.tags = once([*(tag for tag in self.tags if label_key(tag) not in removed), *add_tags])
        if add_tags:
            self._meta.get_field("tags").run_validators(self.tags)
        if before == [getattr(self, name) for name in (*values, "tags")]:
            return False
        self.check_characters()
        self.save(update_fields=[*values, "tags", "updated_at"])
        return True

    def end_deprecation(self):
        self.deprecate("")

    @transaction.atomic
    def _become(self, status, withdrawn_at=None, withdrawal_reason="", successor=None):
        self.lock()
        self.refresh_from_db()
        if self.withdrawal_reason and self.deprecation_message == self.withdrawal_reason:
            # The recall that ends had deprecated it.
            self._advise_against("")
        if withdrawal_reason:
            message = self.deprecation_message or (withdrawal_reason if successor else "")
            self._advise_against(message, successor)
        self.status = status
        self.withdrawn_at, self.withdrawal_reason = withdrawn_at, withdrawal_reason
        if self.is_published and not self.content:
            raise ValidationError({"content": "Write a text first: this one was purged."})
        if self.is_published:
            self.check_characters(keeps_stored=False)
        self.check_text(self.digest)
        # Only these fields: most triggers run when one of their own columns is written.
        fields = ["status", "withdrawn_at", "withdrawal_reason"]
        self.save(update_fields=[*fields, *DEPRECATION, "updated_at"])

    def _advise_against(self, message, successor=None):
        self.deprecation_message, self.successor = message, successor
        self.deprecated_at = (self.deprecated_at or timezone.now()) if message else None


# Fields that are not in the history's snapshots: computed, counted, or never changed.
NO_HISTORY = [
    "public_id",
    "number",
    "checked_number",
    "checked_at",
    "created_at",
    "updated_at",
    "context_tokens",
    "digest",
    "deprecated_at",
    "source",
    "former_source",
    "findings",
]
