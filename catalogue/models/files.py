from hashlib import sha256

from django.db import connection, models


def content_digest(data):
    """`sha256:<hex>` of some bytes."""
    return f"sha256:{sha256(data).hexdigest()}"


BATCH = 1024 * 1024  # bytes to read or insert at a time; a single file may be as large


def batches(items, size_of):
    """Lists of some items, each of BATCH bytes or a single larger one."""
    batch, size = [], 0
    for item in items:
        if batch and size + size_of(item) > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += size_of(item)
    if batch:
        yield batch


class FileContentQuerySet(models.QuerySet):
    def of(self, files):
        """The bytes of a skill's files, by digest."""
        rows = self.filter(digest__in={file["digest"] for file in files})
        return {digest: bytes(data) for digest, data in rows.values_list("digest", "data")}

    def read(self, files):
        """Each of a skill's files with its bytes, holding at most two batches in memory."""
        for batch in batches(files, lambda file: file["size"]):
            contents = self.of(batch)
            for file in batch:
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
