from copy import copy

from django.core.exceptions import ValidationError
from django.db import connection, models, transaction
from django.db.models import ExpressionWrapper, F, Q
from django.db.models.functions import Now
from django.utils.functional import cached_property

from catalogue.models.entries import REFUSALS, Entry
from catalogue.models.files import FileContent
from catalogue.models.labels import NfcCharField
from catalogue.models.of_text import DigestOfText, NumberOfText, TokensOfText
from catalogue.models.personas import FREE, Persona, PersonaFile
from catalogue.models.purges import Purge
from catalogue.models.skills import Skill, SkillFolder
from catalogue.repairs import repair, repairs_between
from catalogue.skill_md import name_of
from marketplace.models import MAX_REASON, max_length
from marketplace.rows import row_version

MAX_NUMBER = 2**31 - 1


class VersionQuerySet(models.QuerySet):
    def readable(self):
        """Versions that may be read: not recalled, and so not purged."""
        return self.filter(recalled_at=None)

    def numbered(self, numbers):
        """The versions with these numbers, `{slug: number}`. Each has the `slug` of its entry."""
        kind = self.model.kind
        slugs = {f"{kind}__slug__in": numbers.keys(), "number__in": set(numbers.values())}
        rows = self.filter(**slugs).annotate(slug=F(f"{kind}__slug"))
        return [row for row in rows if numbers[row.slug] == row.number]

    def with_row_version(self):
        """Annotate `row_version`, and `is_current` if the published entry has this text."""
        is_newest = Q(number=F(f"{self.model.kind}__number"))
        return self.annotate(
            is_current=ExpressionWrapper(is_newest, models.BooleanField()),
            row_version=row_version(self.model),
        )


class Version(models.Model):
    """A published text of an entry (contract 25).

    Triggers create a version when the digest of a published entry changes, and refuse every later
    change except a recall (schema/versions.sql). Its texts are stored as FileContent.
    """

    number = NumberOfText()
    version = models.CharField(max_length=max_length(Entry, "version"))  # the label
    title = NfcCharField(max_length=max_length(Entry, "title"))
    description = models.TextField()
    digest = DigestOfText(max_length=71)
    content_digest = models.CharField(max_length=71)
    context_tokens = TokensOfText()
    created_at = models.DateTimeField()
    recalled_at = models.DateTimeField(null=True)
    recall_reason = models.CharField(max_length=MAX_REASON, blank=True, db_default="")

    objects = VersionQuerySet.as_manager()

    TEXT_NAME = "Prompt"
    OWN_TEXTS = {}  # the texts of its kind alone, by name, each with an empty value
    repairs = ()  # the names of those between what its author wrote and what agents get
    files = []
    frontmatter = ""

    # Whether everyone may read its text (contract 8.13). Only personas have a price.
    is_free = True

    class Meta:
        abstract = True
        ordering = ["-number"]

    def __str__(self):
        return f"version {self.number} of {self.entry}"

    @property
    def entry(self):
        return getattr(self, self.kind)

    @property
    def is_purged(self):
        """Whether only its number and digest remain. Every other version has a title."""
        return self.title == ""

    @cached_property
    def content(self):
        return self.text_of(self.content_digest)

    @cached_property
    def text(self):
        """The text that agents get."""
        return self.text_of(self.text_digest)

    @property
    def text_digest(self):
        return self.content_digest

    @property
    def stored_digests(self):
        """The digests of what staff wrote, of the text that agents get, and of the files."""
        return {self.content_digest, self.text_digest, *(file["digest"] for file in self.files)}

    @property
    def written_digests(self):
        """The digests of what staff wrote, and of the file that agents get, as of written texts."""
        digest, texts = self.Entry.DIGEST, (self.content, self.file_text)
        sources = [value for text in texts for value in self.written_sources(text)]
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {digest}, {digest}", sources)
            return set(cursor.fetchone())

    def read_texts(self):
        """Read what staff wrote and what agents get, in one query."""
        digests = self.content_digest, self.text_digest
        stored = FileContent.objects.in_bulk(digests, field_name="digest")
        self.content, self.text = (bytes(stored[digest].data).decode() for digest in digests)

    def text_of(self, digest):
        return bytes(FileContent.objects.get(digest=digest).data).decode()

    # Actions of staff. Each raises ValidationError if it is refused.

    @transaction.atomic
    def restore(self):
        """Give the entry this text again. If the entry is published, that makes a new version."""
        self.lock()
        if self.recalled_at:
            name = "text_is_not_purged" if self.is_purged else "text_is_not_recalled"
            raise ValidationError(REFUSALS[name])
        if self.entry.digest == self.digest:
            raise ValidationError("The entry has this text already.")
        self.fill(self.entry)
        self.entry.check_text()
        self.entry.save(update_fields=[*self.entry_values(), "updated_at"])

    @transaction.atomic
    def recall(self, reason):
        """Recall the text under each of its numbers. Agents that have it read the reason."""
        self.lock_unused()
        if not self.with_same_text().readable().update(recalled_at=Now(), recall_reason=reason):
            raise ValidationError(
                "This text is recalled already. To change the reason, lift the recall first."
            )

    @transaction.atomic
    def lift_recall(self):
        """Let agents read and install the text again, under each of its numbers."""
        self.lock()
        if Purge.objects.filter(kind=self.kind, digest=self.digest).exists():
            raise ValidationError("A purged text cannot come back.")
        recalled = self.with_same_text().exclude(recalled_at=None)
        if not recalled.update(recalled_at=None, recall_reason=""):
            raise ValidationError("This text is not recalled.")

    def lock(self):
        """Wait for imports, lock the entry, and reload both rows."""
        FileContent.objects.take_turn()
        self.entry.lock()
        self.refresh_from_db()

    def lock_unused(self):
        """Lock a version that must not be current."""
        self.lock()
        if self.entry.is_published and self.entry.digest == self.digest:
            raise ValidationError(
                f"The {self.kind} has this text now. Restore or write another one first, or "
                f"recall the {self.kind} as a whole."
            )

    def with_same_text(self):
        """The versions of the entry with this digest."""
        return self.entry.versions.filter(digest=self.digest)

    def holders(self):
        """The installs of agents that use this text."""
        return self.entry.agent_installs.present().filter(installed_digest=self.digest)

    def fill(self, entry):
        for name, value in self.entry_values().items():
            setattr(entry, name, value)

    def restored(self):
        """The entry as it would be with this text, unsaved."""
        entry = copy(self.entry)
        self.fill(entry)
        return entry

    def entry_values(self):
        """The values of the entry's fields that this version restores."""
        names = "title", "description", "version", "content", *self.OWN_TEXTS
        return {name: getattr(self, name) for name in names}


def version_indexes(kind):
    """Indexes of first, later and recalled versions, newest first, for the page of this week."""
    conditions = {
        "first": (Q(number=1), "created_at"),
        "later": (Q(number__gt=1), "created_at"),
        "recalled": (Q(recalled_at__isnull=False), "recalled_at"),
    }
    return [
        models.Index(F(column).desc(), name=f"{kind}_version_{name}", condition=condition)
        for name, (condition, column) in conditions.items()
    ]


class SkillVersion(SkillFolder, Version):
    kind, Entry = "skill", Skill
    OF_ENTRY = []  # columns of the entry that a response needs, besides its slug
    TEXT_NAME = "SKILL.md"
    OWN_TEXTS = {"files": []}

    skill = models.ForeignKey(Skill, models.PROTECT, related_name="versions", db_index=False)
    skill_md_digest = models.CharField(max_length=71)
    files = models.JSONField()  # like those of a Skill
    archive_digest = models.CharField(max_length=71)

    class Meta(Version.Meta):
        constraints = [
            models.UniqueConstraint(F("skill"), F("number").desc(), name="unique_skill_number")
        ]
        indexes = version_indexes("skill")

    @property
    def text_digest(self):
        return self.skill_md_digest

    @property
    def file_text(self):
        return self.text

    @property
    def repairs(self):
        return repairs_between(self.content, self.text)

    def fill(self, skill):
        super().fill(skill)
        # Under another slug it would not be valid, so it is repaired again.
        if repair(self.text, name_of(skill), "") == (self.text, []):
            skill.restored_text = self.text


class PersonaVersion(PersonaFile, Version):
    kind, Entry = "persona", Persona
    OF_ENTRY = ["price_cents"]
    OWN_TEXTS = {"frontmatter": ""}

    persona = models.ForeignKey(Persona, models.PROTECT, related_name="versions", db_index=False)
    frontmatter = models.TextField(blank=True, default="", db_default="")

    class Meta(Version.Meta):
        constraints = [
            models.UniqueConstraint(F("persona"), F("number").desc(), name="unique_persona_number")
        ]
        indexes = version_indexes("persona")

    @cached_property
    def slug(self):
        return self.persona.slug

    @property
    def is_free(self):
        return self.price_cents == FREE
