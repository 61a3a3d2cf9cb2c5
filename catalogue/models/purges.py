"""Erasing a text from the database for good, for legal reasons (contract 25.13)."""

from typing import NamedTuple

from django.db import connection, models, transaction
from django.db.models.functions import Coalesce, Now

from catalogue.models.files import FileContent, content_digest
from catalogue.sql import USES
from marketplace.models import MAX_REASON

WAIT_FOR_PURGE = "SELECT pg_advisory_xact_lock_shared('catalogue_purge'::regclass::oid::int, 0)"


class Use(NamedTuple):
    """`is_stored` says that the place needs the row of FileContent.

    `history_of` is the kind and key of the entry, if the place is its history: `skill 7`.
    """

    place: str
    digest: str
    is_stored: bool
    history_of: str | None


def uses_of(digests):
    """Every Use of texts and files with these digests."""
    with connection.cursor() as cursor:
        cursor.execute(USES, [list(digests)])
        return [Use(*row) for row in cursor.fetchall()]


class PurgeManager(models.Manager):
    @transaction.atomic
    def purge(self, version, reason):
        """Erase every number of the entry that has this version's text.

        Its stored texts and files go if nothing else uses them, and so do the entry's own text and
        its snapshots in the history. Returns where the same bytes remain, as a list of Use. Raises
        ValidationError while the text is current.
        """
        version.lock_unused()
        self.wait_for_publishing()
        entry, same = version.entry, list(version.with_same_text())
        digests = {digest for version in same for digest in version.stored_digests}
        written = [old.written_digests for old in same if not old.is_purged]
        texts = {version.digest}.union(*written)
        for digest in texts:
            self.get_or_create(kind=version.kind, digest=digest, defaults={"reason": reason})
        empty = dict.fromkeys(("title", "description", "version"), "") | version.OWN_TEXTS
        recalled_at = Coalesce("recalled_at", Now())
        version.with_same_text().update(**empty, recalled_at=recalled_at, recall_reason=reason)
        empty["content"] = ""
        if has_text(entry, same):
            for name, value in (empty | {"title": entry.slug}).items():
                setattr(entry, name, value)
            entry.save(update_fields=[*empty, "updated_at"])
        own_history = f"{version.kind} {entry.pk}"
        other_uses = [use for use in uses_of(digests) if use.history_of != own_history]
        unused = digests - {use.digest for use in other_uses if use.is_stored}
        empty_history(entry, same, unused, empty)
        FileContent.objects.filter(digest__in=unused).delete()
        return uses_of(digests)

    def wait_for_purges(self):
        """Keep every purge waiting until the transaction ends, as texts that are published do."""
        with connection.cursor() as cursor:
            cursor.execute(WAIT_FOR_PURGE)

    def wait_for_publishing(self):
        """Wait for texts that are being published. The triggers wait for a purge likewise."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock('catalogue_purge'::regclass::oid::int, 0)")


def has_text(entry, same):
    """Whether an unpublished entry's text is that of these versions only.

    Under another slug it has another digest.
    """
    text, texts = content_digest(entry.content.encode()), {old.content_digest for old in same}
    others = entry.versions.exclude(digest=same[0].digest).filter(content_digest=text)
    has_same = entry.digest == same[0].digest or (text in texts and not others.exists())
    return has_same and not entry.is_published


def empty_history(entry, same, unused, empty):
    """Erase the snapshots of these versions, and stored texts that nothing else uses."""
    values = {(old.content_digest, old.title, old.description, old.version) for old in same}
    others = entry.versions.exclude(digest=same[0].digest)
    own = {old.content_digest for old in same}.difference(
        others.values_list("content_digest", flat=True)
    )
    frontmatter = unused_frontmatter(entry, same)
    for snapshot in entry.history.all():
        text = content_digest(snapshot.content.encode())
        is_same = (text, snapshot.title, snapshot.description, snapshot.version) in values
        files = {file["digest"] for file in getattr(snapshot, "files", [])}
        has_frontmatter = getattr(snapshot, "frontmatter", "") in frontmatter
        if is_same or has_frontmatter or text in own | unused or unused & files:
            entry.history.filter(pk=snapshot.pk).update(**empty)


def unused_frontmatter(entry, same):
    """The frontmatter of these versions that the persona does not have otherwise."""
    frontmatter = {old.frontmatter for old in same} - {""}
    if frontmatter:
        frontmatter -= {entry.frontmatter, *entry.versions.values_list("frontmatter", flat=True)}
    return frontmatter


class Purge(models.Model):
    """A text that no entry of its kind may have again.

    Once its row exists, the triggers allow erasing its versions.
    """

    kind = models.CharField(max_length=7)
    digest = models.CharField(max_length=71)
    reason = models.CharField(max_length=MAX_REASON)
    purged_at = models.DateTimeField(auto_now_add=True)

    objects = PurgeManager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "digest"], name="unique_purge")]

    def __str__(self):
        return f"{self.kind} {self.digest}"
