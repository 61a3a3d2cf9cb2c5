from django.db import models
from django.db.models import Exists, F, OuterRef
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
        """Those that anybody may read whose entry they may read: neither recalled nor purged."""
        return self.filter(recalled_at=None)

    def numbered(self, numbers):
        """Those of the numbers {slug: number}, each with the `slug` of its entry."""
        kind = self.model.kind
        slugs = {f"{kind}__slug__in": numbers.keys(), "number__in": set(numbers.values())}
        rows = self.filter(**slugs).annotate(slug=F(f"{kind}__slug"))
        return [row for row in rows if numbers[row.slug] == row.number]

    def with_row_version(self):
        """Annotate `row_version`, and whether it `is_current`: the newest of a published entry."""
        kind = self.model.kind
        newer = self.model.objects.filter(
            number__gt=OuterRef("number"), **{f"{kind}_id": OuterRef(f"{kind}_id")}
        )
        return self.annotate(is_current=~Exists(newer), row_version=row_version(self.model))


class Version(models.Model):
    """What agents get of an entry from one of its texts to the next (contract 25).

    A trigger makes it when a published entry has another digest than its newest version, and others
    refuse every change but a recall (schema/versions.sql). Its texts are FileContents.
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
    """A text that the law forbids: no entry of its kind may have it (manage.py purge_version)."""

    kind = models.CharField(max_length=7)
    digest = models.CharField(max_length=71)
    reason = models.CharField(max_length=MAX_REASON)
    purged_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "digest"], name="unique_purge")]

    def __str__(self):
        return f"{self.kind} {self.digest}"
