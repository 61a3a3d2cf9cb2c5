"""Taking a text out of the database for good, for what the law forbids (contract 25.13)."""

from typing import NamedTuple

from django.db import connection, models, transaction
from django.db.models import F, Func
from django.db.models.functions import Coalesce, Now

from catalogue.models.files import FileContent
from marketplace.models import MAX_REASON

# Where the database holds bytes with these digests. Entries and their histories hold texts in their
# own rows; versions and all files need the row of FileContent.
USES = """
WITH held AS (
    SELECT format('version %%s of the skill %%s', version.number, slug) AS place,
        NULL AS own_text, ARRAY[content_digest, skill_md_digest] AS texts, version.files
    FROM catalogue_skillversion AS version JOIN catalogue_skill AS skill ON skill.id = skill_id
    WHERE version.title <> ''
    UNION ALL
    SELECT format('version %%s of the persona %%s', version.number, slug),
        NULL, ARRAY[content_digest], '[]'
    FROM catalogue_personaversion AS version
    JOIN catalogue_persona AS persona ON persona.id = persona_id
    WHERE version.title <> ''
    UNION ALL
    SELECT format('the %%s skill %%s', status, slug), catalogue_digest(content), '{}', files
    FROM catalogue_skill
    UNION ALL
    SELECT format('the %%s persona %%s', status, slug), catalogue_digest(content), '{}', '[]'
    FROM catalogue_persona
    UNION ALL
    SELECT format('the history of the skill %%s', slug), catalogue_digest(content), '{}', files
    FROM catalogue_historicalskill
    UNION ALL
    SELECT format('the history of the persona %%s', slug), catalogue_digest(content), '{}', '[]'
    FROM catalogue_historicalpersona
)
SELECT DISTINCT place, digest, is_stored
FROM held, LATERAL (
    SELECT own_text, false
    UNION ALL SELECT unnest(texts), true
    UNION ALL SELECT file.digest, true FROM jsonb_to_recordset(files) AS file (digest text)
) AS used (digest, is_stored)
WHERE digest = ANY(%s)
ORDER BY place, digest
"""


class Use(NamedTuple):
    """`is_stored` says that the place needs the row of FileContent."""

    place: str
    digest: str
    is_stored: bool


def uses_of(digests):
    """Each Use of texts and files with these digests."""
    with connection.cursor() as cursor:
        cursor.execute(USES, [list(digests)])
        return [Use(*row) for row in cursor.fetchall()]


class PurgeManager(models.Manager):
    @transaction.atomic
    def purge(self, version, reason):
        """Empty every number of the entry that has the text of this version.

        Its stored texts and files go if nothing else uses them, and so do the entry's own text and
        its history of it. Returns where the same bytes are left, as a list of Use. Raises
        ValidationError while the text is current.
        """
        version.lock_unused()
        digests = {digest for same in version.with_same_text() for digest in same.stored_digests}
        self.get_or_create(kind=version.kind, digest=version.digest, defaults={"reason": reason})
        empty = dict.fromkeys(("title", "description", "version"), "")
        if version.has_files:
            empty["files"] = []
        recalled_at = Coalesce("recalled_at", Now())
        version.with_same_text().update(**empty, recalled_at=recalled_at, recall_reason=reason)
        self.empty_entry(version, empty | {"content": ""})
        uses = uses_of(digests)
        unused = digests - {use.digest for use in uses if use.is_stored}
        FileContent.objects.filter(digest__in=unused).delete()
        return uses

    def empty_entry(self, version, empty):
        """Empty what the entry and its history hold of the text."""
        text_digest = Func(F("content"), function="catalogue_digest")
        snapshots = version.entry.history.annotate(text_digest=text_digest)
        snapshots.filter(text_digest__in=version.text_digests).update(**empty)
        if version.entry.digest == version.digest:
            for name, value in (empty | {"title": version.entry.slug}).items():
                setattr(version.entry, name, value)
            version.entry.save(update_fields=[*empty, "updated_at"])


class Purge(models.Model):
    """A text that no entry of its kind may have again.

    Once its row is here, the triggers let its versions be emptied.
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
