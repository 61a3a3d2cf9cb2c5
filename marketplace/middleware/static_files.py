import os
from contextlib import suppress

from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import MissingFileError


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """WhiteNoise, which notices that a file was replaced after the start.

    An upgrade replaces files before it reloads the server. With the length of the old file, the
    response would be cut off; with a new ETag on an old compressed copy, browsers would keep the
    copy.
    """

    def get_static_file(self, path, url, stat_cache=None):
        seen = stats_of(path)
        static_file = super().get_static_file(path, url, stat_cache)
        static_file.alternatives = [
            (accepted, variant, headers)
            for accepted, variant, headers in static_file.alternatives
            if not is_older(seen.get(variant), seen[path])
        ]
        static_file.path, static_file.seen = path, seen
        return static_file

    def serve(self, static_file, request):
        if not self.autorefresh and stats_of(static_file.path) != static_file.seen:
            url = request.path_info
            with suppress(MissingFileError):
                self.files[url] = static_file = self.get_static_file(static_file.path, url)
        return super().serve(static_file, request)


def stats_of(path):
    """The time and the size of a file and of its compressed copies; None for a missing one."""
    return {variant: stat_of(variant) for variant in (path, f"{path}.gz", f"{path}.br")}


def stat_of(path):
    try:
        result = os.stat(path)  # noqa: PTH116 - a Path costs more than the call, on each request
    except OSError:
        return None
    return result.st_mtime, result.st_size


def is_older(copy, original):
    # A copy has the time of its original, in whole seconds on some file systems.
    return bool(copy and original) and int(copy[0]) < int(original[0])
