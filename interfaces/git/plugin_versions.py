"""The versions of plugins, which move whenever their files do (contract 34.1)."""

from hashlib import sha256

from interfaces.git.models import PluginVersion


def versions_of(repository, plugins):
    """`{name: version}` of the plugins of the next commit, as pairs with their files by path.

    The files are those without a version in them. The transaction that makes the commit stores how
    often they have changed. It holds the lock on the repository's row.
    """
    known = {
        (row.plugin, row.number): row
        for row in PluginVersion.objects.filter(repository=repository.name)
    }
    # The commits of older releases had versions, but nobody counted.
    unknown = repository.number > 0 and not known
    rows = [
        row_of(repository, plugin, digest_of(files), known, unknown) for plugin, files in plugins
    ]
    PluginVersion.objects.bulk_create(
        [row for row in rows if known.get((row.plugin, row.number)) is not row],
        update_conflicts=True,
        unique_fields=["repository", "plugin", "number"],
        update_fields=["changes", "digest", "kind", "entry_id"],
    )
    return {row.plugin: f"{row.number}.{row.changes}.0" for row in rows}


def row_of(repository, plugin, digest, known, unknown):
    """The row of a plugin: the known one, if its files are the same."""
    before = known.get((plugin.name, plugin.number))
    if before and before.digest == digest:
        return before
    return PluginVersion(
        repository=repository.name,
        plugin=plugin.name,
        number=plugin.number,
        changes=before.changes + 1 if before else int(unknown),
        digest=digest,
        kind=plugin.kind,
        entry_id=plugin.entry_id,
    )


def digest_of(files):
    parts = sorted(
        (path, file.digest or sha256(file.data).hexdigest(), file.is_executable)
        for path, file in files.items()
    )
    return sha256(repr(parts).encode()).hexdigest()
