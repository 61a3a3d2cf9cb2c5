import os
from contextlib import suppress

from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import MissingFileError


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """WhiteNoise, which notices that a file is another one than at the start.

    An upgrade replaces files before it reloads the server. With the length of the old file, the
    response would be cut off; with a new ETag on an old compressed copy, browsers would keep the
    copy.
    """

    def get_static_file(self, path, url, stat_cache=None):
        seen = versions_of(path)
        static_file = super().get_static_file(path, url, stat_cache)
        original, *copies = seen
        stale = {
            name
            for name, version in zip(variants_of(path)[1:], copies, strict=True)
            # A copy has the time of its original, in whole seconds on some file systems.
            if original and version and version[0] // 10**9 < original[0] // 10**9
        }
        static_file.alternatives = [
            alternative for alternative in static_file.alternatives if alternative[1] not in stale
        ]
        static_file.path, static_file.seen = path, seen
        return static_file

    def serve(self, static_file, request):
        if not self.autorefresh and versions_of(static_file.path) != static_file.seen:
            url = request.path_info
            with suppress(MissingFileError):
                self.files[url] = static_file = self.get_static_file(static_file.path, url)
        return super().serve(static_file, request)


def variants_of(path):
    return path, f"{path}.gz", f"{path}.br"


def versions_of(path):
    """The time and the size of a file and of its compressed copies; None for a missing one."""
    return [version_of(variant) for variant in variants_of(path)]


def version_of(path):
    try:
        found = os.stat(path)  # noqa: PTH116 - a Path costs more than the call, on each request
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
