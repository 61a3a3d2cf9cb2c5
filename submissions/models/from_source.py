from typing import NamedTuple

from django.db import models, transaction

MAX_PATH = 500  # characters of a path in a repository


class Origin(NamedTuple):
    """The source that proposes a text, the path of its file there, and the commit."""

    source: models.Model
    path: str
    commit: str


class FromSourceQuerySet(models.QuerySet):
    @transaction.atomic
    def submit_from(self, origin, proposal):
        """Store a Proposal of an Origin; returns it and whether it is new.

        It replaces the pending one of the same file, unless that has the same bytes. No limit
        counts the submissions of sources.
        """
        file = {"source": origin.source, "kind": proposal.kind, "path": origin.path}
        row = self.model(**file, commit=origin.commit, slug=proposal.slug, **proposal.values)
        return self.store(row, proposal, self.filter(**file))


class FromSource(models.Model):
    """The columns of a submission that a source makes (contract 30)."""

    source = models.ForeignKey(
        "sources.Source", models.PROTECT, null=True, related_name="submissions", db_index=False
    )
    path = models.CharField(max_length=MAX_PATH, blank=True, db_default="")
    commit = models.CharField(max_length=40, blank=True, db_default="")
    # It has no text: its file is gone, and publishing it withdraws the entry.
    withdraws = models.BooleanField(default=False, db_default=False)

    class Meta:
        abstract = True

    def is_the_same(self, other):
        """Whether publishing the other submission would do the same."""
        mine, its = ((row.slug, row.bytes_digest, row.withdraws) for row in (self, other))
        return mine == its

    def entry_in(self, entries):
        """The entry that it changes, or None. That of a source has its path, or else the slug."""
        own = self.source and entries.filter(source=self.entry_source).first()
        return own or entries.filter(slug=self.slug).first()

    @property
    def entry_source(self):
        return self.source.entry_source(self.path)
