from hashlib import sha256

from django.db import models


def content_digest(data):
    """`sha256:<hex>` of some bytes."""
    return f"sha256:{sha256(data).hexdigest()}"


class FileContentQuerySet(models.QuerySet):
    def of(self, files):
        """The bytes of a skill's files, by digest."""
        found = self.filter(digest__in={file["digest"] for file in files})
        return {digest: bytes(data) for digest, data in found.values_list("digest", "data")}


class FileContent(models.Model):
    """The bytes of a file, stored once however many skills hold it (lifecycle 15).

    `Skill.files` names it by its digest. Lists and searches read none.
    """

    digest = models.CharField(max_length=71, primary_key=True)
    data = models.BinaryField()

    objects = FileContentQuerySet.as_manager()

    def __str__(self):
        return self.digest
