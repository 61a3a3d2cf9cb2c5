"""The histories of the repositories. store.py reads and writes them by statements of its own."""

from django.db import models

DEFAULT_NAME = "agent-marketplace"


class Repository(models.Model):
    """A repository that somebody has fetched, at its newest commit.

    Locking its row makes processes that see a change at once make one commit.
    """

    name = models.CharField(
        max_length=32
    )  # `catalogue`, `skill/<id>`, `persona/<id>`, `agent/<id>`
    state = models.TextField(blank=True)  # identifies what the newest commit contains
    number = models.PositiveIntegerField(default=0)  # of the newest commit; 0 without one
    head = models.BinaryField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name"], name="unique_repository_name")]

    def __str__(self):
        return self.name


class Commit(models.Model):
    """A commit, the child of the one with the number before it."""

    repository = models.ForeignKey(Repository, models.CASCADE, db_index=False)
    number = models.PositiveIntegerField()
    sha = models.BinaryField()
    data = models.BinaryField()
    version = models.PositiveIntegerField(null=True)  # of the skill, in its own repository

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "number"], name="unique_commit_number"),
            models.UniqueConstraint(fields=["repository", "sha"], name="unique_commit_sha"),
        ]

    def __str__(self):
        return bytes(self.sha).hex()


class Object(models.Model):
    """A tree or a blob, stored once as it is in a pack: compressing it again takes longest."""

    sha = models.BinaryField(primary_key=True)
    size = models.PositiveIntegerField()
    data = models.BinaryField()
    content = models.CharField(max_length=71, null=True)  # noqa: DJ001 - the digest of its FileContent

    class Meta:
        indexes = [
            models.Index(
                fields=["content"],
                name="object_content",
                condition=models.Q(content__isnull=False),
            )
        ]

    def __str__(self):
        return bytes(self.sha).hex()


class Presence(models.Model):
    """Records that an object is in the trees of the commits from `first` to `last`."""

    repository = models.ForeignKey(Repository, models.CASCADE, db_index=False)
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    sha = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "sha", "first"], name="unique_presence")
        ]
        indexes = [
            models.Index(fields=["repository", "last", "first"], name="presence_place"),
            models.Index(fields=["sha"], name="presence_sha"),
        ]

    def __str__(self):
        return f"{bytes(self.sha).hex()} in {self.first} to {self.last}"


class Held(models.Model):
    """Records that the repository has had a version. Purging that starts the history over."""

    repository = models.ForeignKey(Repository, models.CASCADE, db_index=False)
    kind = models.CharField(max_length=7)
    version_id = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "version_id", "repository"], name="unique_held_version"
            )
        ]

    def __str__(self):
        return f"version {self.version_id} of a {self.kind}"


class PluginVersion(models.Model):
    """How often the files of a plugin have changed in a repository, for each `number` of its entry.

    It holds no text. It outlives the repository, so that a version never comes back with other
    files (contract 34.1). `repository` is the name of one.
    """

    repository = models.CharField(max_length=32)
    plugin = models.CharField(max_length=64)
    number = models.PositiveIntegerField()
    changes = models.PositiveIntegerField()  # the highest that this plugin had with this number
    digest = models.CharField(max_length=64)  # of its files in the last commit with this number
    kind = models.CharField(max_length=10)
    entry_id = models.BigIntegerField()  # whose it is; 0 for the plugin `everything`

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "plugin", "number"], name="unique_plugin_number"
            )
        ]

    def __str__(self):
        return f"{self.plugin} {self.number}.{self.changes}.0 in {self.repository}"


class MarketplaceName(models.Model):
    """The name of the repositories' marketplaces. Without a row, it is DEFAULT_NAME."""

    name = models.CharField(max_length=64)

    def __str__(self):
        return self.name
