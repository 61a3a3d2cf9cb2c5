from hashlib import sha256

from django.db import connection, models


def content_digest(data):
    """`sha256:<hex>` of some bytes."""
    return f"sha256:{sha256(data).hexdigest()}"


BATCH = 1024 * 1024  # bytes to read at a time; a single file may be as large


class FileContentQuerySet(models.QuerySet):
    def of(self, files):
        """The bytes of a skill's files, by digest."""
        rows = self.filter(digest__in={file["digest"] for file in files})
        return {digest: bytes(data) for digest, data in rows.values_list("digest", "data")}

    def read(self, files):
        """Each of a skill's files with its bytes, holding at most two batches in memory."""
        batch, size = [], 0
        for file in files:
            if batch and size + file["size"] > BATCH:
                yield from self._read(batch)
                batch, size = [], 0
            batch.append(file)
            size += file["size"]
        if batch:
            yield from self._read(batch)

    def _read(self, files):
        contents = self.of(files)
        for file in files:
            yield file, contents[file["digest"]]

    def take_turn(self):
        """Wait for all transactions that store or purge many texts."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock('catalogue_filecontent'::regclass::oid::int, 0)"
            )


class FileContent(models.Model):
    """The bytes of a file, stored once even if several skills have it (contract 17.4).

    `Skill.files` refers to it by digest. Lists and searches do not read it.
    """

    digest = models.CharField(max_length=71, primary_key=True)
    data = models.BinaryField()

    objects = FileContentQuerySet.as_manager()

    def __str__(self):
        return self.digest
