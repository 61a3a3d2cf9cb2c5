from hashlib import file_digest, sha256

from django.db import connection, models

from marketplace.large_values import PIECE, large_value, read_in_pieces


def content_digest(data):
    """`sha256:<hex>` of some bytes."""
    return f"sha256:{sha256(data).hexdigest()}"


def digest_of(file):
    """The same of a file's bytes."""
    return f"sha256:{file_digest(file, sha256).hexdigest()}"


def batches(items, size_of):
    """Lists of some items, each of at most PIECE bytes or a single larger one."""
    batch, size = [], 0
    for item in items:
        if batch and size + size_of(item) > PIECE:
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

    def stored(self, files):
        """The digests of those files whose bytes are stored."""
        rows = self.filter(digest__in={file["digest"] for file in files})
        return set(rows.values_list("digest", flat=True))

    def read(self, files):
        """Each of a skill's files with the pieces of its bytes.

        At most two batches are in memory at a time, or one piece of a larger file.
        """
        for batch in batches(files, lambda file: file["size"]):
            if batch[0]["size"] > PIECE:
                yield batch[0], read_in_pieces(self.filter(digest=batch[0]["digest"]), "data")
                continue
            contents = self.of(batch)
            for file in batch:
                yield file, [contents[file["digest"]]]

    def store(self, files):
        """Store files, as (file, pieces); of several equal ones, one."""
        for batch in batches(files, lambda item: item[0]["size"]):
            if batch[0][0]["size"] > PIECE:
                [(file, pieces)] = batch
                with large_value(pieces) as value:
                    self.create(digest=file["digest"], data=value)
            else:
                self.bulk_create(
                    self.model(digest=file["digest"], data=b"".join(pieces))
                    for file, pieces in batch
                )

    def take_turn(self):
        """Wait for all transactions that store or purge many texts.

        PostgreSQL lets this one idle for minutes, because it inspects files between its statements.
        """
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock('catalogue_filecontent'::regclass::oid::int, 0), "
                "set_config('idle_in_transaction_session_timeout', '5min', true)"
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
