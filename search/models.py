from django.db import models
from django.db.models import F, Func, Q

from catalogue.models import Kind

KEY = 'lower(%(expressions)s COLLATE "default")'  # as lower() of the entries' own columns


class Posting(models.Model):
    """A word of a published entry, and how much the entry is about it (docs/develop/search.md).

    Triggers write these rows and the facet counts in the transaction that writes the entry.
    """

    pk = models.CompositePrimaryKey("entry_id", "word")
    entry_id = models.BigIntegerField()
    impact = models.SmallIntegerField()  # thousandths
    word = models.TextField(db_collation="C")

    class Meta:
        abstract = True
        indexes = [
            # The best entries of a word come first, so that a search can stop early.
            models.Index(F("word"), F("impact").desc(), F("entry_id").desc(), name="%(class)s_best")
        ]

    def __str__(self):
        return f"{self.word} in {self.entry_id}"


class SkillPosting(Posting):
    pass


class PersonaPosting(Posting):
    pass


class ZeroResultSearch(models.Model):
    """A text that a search found nothing for; `count_zero_results` writes it."""

    kind = models.CharField(max_length=7, choices=Kind)
    text = models.CharField(max_length=64)
    searches = models.PositiveBigIntegerField(default=1)
    last_searched_at = models.DateTimeField()

    class Meta:
        verbose_name = "search without results"
        verbose_name_plural = "searches without results"
        ordering = ["-searches", "-last_searched_at"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "text"], name="one_zero_result_per_text")
        ]
        indexes = [
            models.Index(
                F("searches").desc(), F("last_searched_at").desc(), name="zero_result_most"
            )
        ]

    def __str__(self):
        return self.text


class FacetCountBase(models.Model):
    """The number of published entries of a kind with this value of a facet."""

    kind = models.CharField(max_length=7)
    facet = models.CharField(
        max_length=8
    )  # all, category, tag, runtime, author, license, word, implied, …
    value = models.TextField(db_collation="C")
    entries = models.BigIntegerField()

    class Meta:
        abstract = True

    def __str__(self):
        return f"{self.entries} {self.kind}s with {self.facet} {self.value}"


class FacetCount(FacetCountBase):
    """The sums so far."""

    pk = models.CompositePrimaryKey("kind", "facet", "value")

    class Meta:
        indexes = [
            # Labels in any case. Words, which are many more, are always in lower case.
            models.Index(
                *(F("kind"), F("facet"), Func("value", template=KEY)),
                condition=~Q(facet__in=["word", "implied", "spelling"]),
                name="facet_count_key",
            )
        ]


class FacetCountDelta(FacetCountBase):
    """Deltas that are not yet added to the facet counts.

    A writer that finds another one adding up appends its deltas here instead of waiting. The
    number of entries is the sum of both tables (`search_count` in schema/counts.sql).
    """

    class Meta:
        indexes = [models.Index(fields=["kind", "facet", "value"], name="facet_count_delta")]
