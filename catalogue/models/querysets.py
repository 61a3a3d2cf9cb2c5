"""The queries that skills and personas share."""

from django.db import connection, models
from django.db.models import F, Func
from django.db.models.functions import Coalesce, Substr

from catalogue.models.status import PUBLISHED, PUBLISHED_STATUS, Status
from catalogue.sql import HAS_STATISTICS, MERGE_PENDING
from marketplace.models import CountedQuerySet
from marketplace.rows import row_version

# The start of the source of entries that agents maintain, before the handle of the last author.
SUBMITTED = "submission:"
# The same of those that belong to a git repository, before its name and the path of their file.
REPOSITORY = "git:"


class EntryQuerySet(CountedQuerySet):
    def published(self):
        """What everyone sees. Only staff see drafts and withdrawn entries."""
        return self.filter(status=PUBLISHED_STATUS)

    def recalled(self):
        """Those that were withdrawn for a reason."""
        return self.filter(status=Status.WITHDRAWN).exclude(withdrawal_reason="")

    def maintained(self, sources):
        """`(source, "@handle")` of those that came from a source before an agent took over."""
        handle = Substr("source", len(SUBMITTED) + 1)
        return self.filter(former_source__in=sources).values_list("former_source", handle)

    def unpublished(self):
        """Entries outside the catalogue, withdrawn or drafts again, annotated with `gone_since`.

        For a draft that is its last change.
        """
        gone_since = Coalesce("withdrawn_at", "updated_at")
        return self.filter(~PUBLISHED).annotate(gone_since=gone_since)

    def with_row_version(self):
        """Annotate `row_version`, which changes with every write to the row."""
        return self.annotate(row_version=row_version(self.model))

    def for_list(self):
        """Defer what lists do not show, above all the long columns."""
        unseen = "source", "former_source", "status", "withdrawn_at", "withdrawal_reason"
        more = "deprecated_at", "successor", "findings", *self.model.long_columns()
        return self.with_successor().defer(*unseen, *more)

    def with_successor(self):
        """Annotate `successor_slug`."""
        return self.annotate(successor_slug=successor_slug(self.model))

    def maintain_indexes(self):
        """Keep searches fast while an import inserts many rows and searches for each.

        Without statistics, PostgreSQL reads a new table as a whole. And each search of a GIN index
        reads its pending list, which holds the rows that are not merged into the index yet.
        """
        table = self.model._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute(HAS_STATISTICS, [table])
            if not cursor.fetchone()[0]:
                cursor.execute(f"ANALYZE {table}")
            cursor.execute(MERGE_PENDING, [table])


def successor_slug(model, relation=""):
    """The slug of an entry's successor, or NULL unless the successor is published.

    `relation` leads to the entry: `skill__`.
    """
    return Func(
        F(f"{relation}successor"),
        function=f"{model._meta.db_table}_successor",
        output_field=models.CharField(),
    )
