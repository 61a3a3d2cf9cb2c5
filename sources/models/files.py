from django.db import models, transaction
from django.db.models import F, Q
from django.utils import timezone

from catalogue.models import Kind, Skill, Status
from marketplace.models import MAX_REASON, max_length
from sources.models.sources import MAX_PATH, SavesValues, Source
from submissions.models.submissions import MODELS

UNREADABLE = "unreadable"  # the digest of a file that cannot be imported
TAKEN_BACK = "taken back"  # instead of a digest that was proposed, which no file has


class SourceFileQuerySet(models.QuerySet):
    def wait_anew(self):
        """Begin the wait of each text again that is neither published nor proposed."""
        waiting = self.exclude(bytes_digest="").exclude(settled_digest=F("bytes_digest"))
        waiting.update(seen_at=timezone.now())

    def unconfirmed(self):
        """`{row: entry}` of published entries whose files are gone, which nobody has confirmed."""
        rows = self.filter(bytes_digest="", is_confirmed=False).exclude(settled_digest="")
        rows = {(row.kind, row.entry_source): row for row in rows.select_related("source")}
        return {
            rows[kind, entry.source]: entry
            for kind, model in MODELS.items()
            for entry in model.objects.published()
            .filter(source__in=[source for of_kind, source in rows if of_kind == kind])
            .only("slug", "source")
        }

    def delete_spent(self):
        """Delete the rows of files that are gone and have no entry, which nothing follows from."""
        gone = self.filter(bytes_digest="", settled_digest="").select_related("source")
        rows = {(row.kind, row.entry_source): row.pk for row in gone}
        for kind, model in MODELS.items():
            sources = [source for of_kind, source in rows if of_kind == kind]
            entries = model.objects.filter(Q(source__in=sources) | Q(former_source__in=sources))
            for entry in entries.only("source", "former_source"):
                rows.pop((kind, entry.source), None)
                rows.pop((kind, entry.former_source), None)
        self.filter(pk__in=rows.values()).delete()

    @transaction.atomic
    def observe(self, source, files, now):
        """Store what a source's ref has now, `{(kind, path): (slug, digest)}`; returns all rows.

        A row whose digest has changed begins to wait again. Without a file, its digest is "".
        """
        source.lock()  # Nobody renames it meanwhile, because moves find entries by its name.
        rows = {(row.kind, row.path): row for row in source.files.all()}
        self.follow_moves(rows, files)
        changed = []
        for key, row in rows.items():
            slug, digest = files.get(key, ("", ""))
            if row.bytes_digest != digest:
                row.bytes_digest, row.seen_at, row.is_confirmed = digest, now, False
                row.slug = slug or row.slug
                changed.append(row)
        self.bulk_update(changed, ["bytes_digest", "seen_at", "is_confirmed", "slug"], 500)
        new = [
            self.model(
                source=source, kind=kind, path=path, slug=slug, bytes_digest=digest, seen_at=now
            )
            for (kind, path), (slug, digest) in files.items()
            if (kind, path) not in rows
        ]
        self.bulk_create(new, 500)
        # Skills first, because personas bundle them.
        return sorted([*rows.values(), *new], key=lambda row: (row.kind != "skill", row.path))

    def follow_moves(self, rows, files):
        """Give each file of another name the row whose name that is, with its entry.

        The row loses its own path with that: the name is gone there. Another row that has the
        path of such a file leaves it, because two entries would mix.
        """
        names = {key: slug for key, (slug, _) in files.items() if slug}
        left = sorted((row for key, row in rows.items() if lost(key, row, files)), key=by_time)
        left = {(row.kind, row.slug): row for row in left if row.slug}
        for key, slug in names.items():
            row = rows.get(key)
            if row and row.slug == slug:
                continue
            if moved := left.pop((key[0], slug), None):
                if row:
                    del rows[key]
                    rows[row.kind, row.leave_path()] = row
                del rows[moved.kind, moved.path]
                moved.move(key[1])
                rows[key] = moved


def lost(key, row, files):
    """Whether no file has the name of a row at its path. One that cannot be read may have it."""
    if key not in files:
        return True
    slug, _ = files[key]
    return slug not in {"", row.slug}


def by_time(row):
    return row.seen_at


class SourceFile(SavesValues):
    """A file of a source's ref that makes an entry, and the time since it has had its text.

    The row of a file that is gone stays, so that its entry is withdrawn once.
    """

    source = models.ForeignKey(Source, models.CASCADE, related_name="files", db_index=False)
    kind = models.CharField(max_length=7, choices=Kind)
    path = models.CharField(max_length=MAX_PATH)
    slug = models.CharField(max_length=max_length(Skill, "slug"), blank=True)  # of its name
    # The digest of its bytes and of the files beside it (submissions/proposals.py): "" once it is
    # gone, UNREADABLE while it cannot be imported. The ref has had this digest since `seen_at`.
    bytes_digest = models.CharField(max_length=71, blank=True)
    seen_at = models.DateTimeField()
    # The last digest that was published or proposed; TAKEN_BACK if that left the desk undecided.
    settled_digest = models.CharField(max_length=71, blank=True)
    note = models.TextField(blank=True)  # the finding of the last attempt to publish or propose it
    # Whether a superuser has confirmed that its entry may be withdrawn.
    is_confirmed = models.BooleanField(default=False)
    # The `withdrawn_at` of its entry, if this source has withdrawn it.
    withdrawn_at = models.DateTimeField(null=True)

    objects = SourceFileQuerySet.as_manager()

    class Meta:
        ordering = ["path"]
        constraints = [
            models.UniqueConstraint(fields=["source", "kind", "path"], name="unique_source_file"),
            models.CheckConstraint(
                condition=Q(is_confirmed=False) | Q(bytes_digest=""),
                name="only_gone_files_are_confirmed",
            ),
        ]

    def __str__(self):
        return f"{self.source}: {self.path}"

    @property
    def is_gone(self):
        return self.bytes_digest == ""

    @property
    def is_settled(self):
        return self.settled_digest == self.bytes_digest

    @property
    def entry_source(self):
        return self.source.entry_source(self.path)

    def leave_path(self):
        """Make room for another file; returns a path that no file has."""
        self.move(f"{self.path} (gone, {self.pk})"[-MAX_PATH:])
        return self.path

    @transaction.atomic
    def move(self, path):
        """Give its entry and its pending submission another path in the repository."""
        old, new = self.entry_source, self.source.entry_source(path)
        entries = MODELS[self.kind].objects
        entries.filter(source=old).update(source=new)
        entries.filter(former_source=old).update(former_source=new)
        pending = self.source.submissions.pending().filter(kind=self.kind)
        pending.filter(path=self.path).update(path=path)
        self.save_values(path=path)

    def settle(self, note="", **values):
        """Record that its text is published or proposed, so that the next run leaves it alone."""
        self.save_values(settled_digest=self.bytes_digest, note=note[:MAX_REASON], **values)

    def has_withdrawn(self, entry):
        """Whether the entry is withdrawn because this file was gone, and for no other reason."""
        is_withdrawn = entry.status == Status.WITHDRAWN and not entry.is_recalled
        return is_withdrawn and entry.withdrawn_at == self.withdrawn_at
