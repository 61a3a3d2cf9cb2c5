from django.db import models
from django.db.models import ExpressionWrapper, F, Q
from django.utils.functional import cached_property

from catalogue.models.entries import Entry
from catalogue.models.files import FileContent
from catalogue.models.personas import Persona
from catalogue.models.skills import Skill, SkillFolder
from marketplace.models import MAX_REASON, max_length
from marketplace.rows import row_version

MAX_NUMBER = 2**31 - 1


class VersionQuerySet(models.QuerySet):
    def readable(self):
        """Versions that may be read. A recalled one may not, and a purged one is recalled too."""
        return self.filter(recalled_at=None)

    def numbered(self, numbers):
        """The versions with these numbers, `{slug: number}`. Each has the `slug` of its entry."""
        kind = self.model.kind
        slugs = {f"{kind}__slug__in": numbers.keys(), "number__in": set(numbers.values())}
        rows = self.filter(**slugs).annotate(slug=F(f"{kind}__slug"))
        return [row for row in rows if numbers[row.slug] == row.number]

    def with_row_version(self):
        """Annotate `row_version`, and whether the published entry has this text: `is_current`."""
        is_newest = Q(number=F(f"{self.model.kind}__number"))
        return self.annotate(
            is_current=ExpressionWrapper(is_newest, models.BooleanField()),
            row_version=row_version(self.model),
        )


class Version(models.Model):
    """A text of an entry as it was published (contract 25).

    Triggers make a version when the digest of a published entry changes, and refuse every later
    change except a recall (schema/versions.sql). Its texts are stored as FileContent.
    """

    number = models.PositiveIntegerField()
    version = models.CharField(max_length=max_length(Entry, "version"))  # the label
    title = models.CharField(max_length=max_length(Entry, "title"))
    description = models.TextField()
    digest = models.CharField(max_length=71)
    content_digest = models.CharField(max_length=71)
    context_tokens = models.IntegerField()
    created_at = models.DateTimeField()
    recalled_at = models.DateTimeField(null=True)
    recall_reason = models.CharField(max_length=MAX_REASON, blank=True, db_default="")

    objects = VersionQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ["-number"]

    def __str__(self):
        return f"{self.entry} {self.number}"

    @property
    def entry(self):
        return getattr(self, self.kind)

    @cached_property
    def content(self):
        return self.text_of(self.content_digest)

    def text_of(self, digest):
        return bytes(FileContent.objects.get(digest=digest).data).decode()


class SkillVersion(SkillFolder, Version):
    kind, Entry = "skill", Skill
    OF_ENTRY = []  # columns of the entry that a response needs, beside its slug

    skill = models.ForeignKey(Skill, models.PROTECT, related_name="versions", db_index=False)
    skill_md_digest = models.CharField(max_length=71)
    files = models.JSONField()  # as those of a Skill
    archive_digest = models.CharField(max_length=71)

    class Meta(Version.Meta):
        constraints = [
            models.UniqueConstraint(F("skill"), F("number").desc(), name="unique_skill_number")
        ]

    @cached_property
    def file_text(self):
        return self.text_of(self.skill_md_digest)


class PersonaVersion(Version):
    kind, Entry = "persona", Persona
    OF_ENTRY = ["price_cents"]

    persona = models.ForeignKey(Persona, models.PROTECT, related_name="versions", db_index=False)

    class Meta(Version.Meta):
        constraints = [
            models.UniqueConstraint(F("persona"), F("number").desc(), name="unique_persona_number")
        ]


class Purge(models.Model):
    """A text that no entry of its kind may have again, such as one that the law forbids.

    Once its row is here, the triggers let its versions be emptied and its stored texts be deleted.
    """

    kind = models.CharField(max_length=7)
    digest = models.CharField(max_length=71)
    reason = models.CharField(max_length=MAX_REASON)
    purged_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "digest"], name="unique_purge")]

    def __str__(self):
        return f"{self.kind} {self.digest}"
