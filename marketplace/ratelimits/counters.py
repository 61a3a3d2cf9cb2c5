"""Rate limit counters in PostgreSQL, exact across threads, processes and machines."""

from hashlib import blake2b
from random import getrandbits
from uuid import UUID

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.db import connection

from infrastructure.db.statements import fetch_all

# The database computes both sides of each comparison, because a host's clock may be wrong.
COUNT = """
INSERT INTO marketplace_ratecount AS old (key, count, expires_at)
VALUES (%s, %s, now() + %s * interval '1 second')
ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN old.expires_at > now() THEN old.count ELSE 0 END + EXCLUDED.count,
    -- Unchanged within a window, because a change of an indexed column writes the index too.
    expires_at = CASE WHEN old.expires_at > now() THEN old.expires_at ELSE EXCLUDED.expires_at END
RETURNING count
"""

READ = """
SELECT key, count FROM marketplace_ratecount WHERE key = ANY(%s::uuid[]) AND expires_at > now()
"""

# Rows that another request has locked are skipped, so no request waits for a purge.
PURGE = """
DELETE FROM marketplace_ratecount WHERE key IN (
    SELECT key FROM marketplace_ratecount WHERE expires_at < now()
    LIMIT 1000 FOR UPDATE SKIP LOCKED
)
"""
PURGE_ONE_IN = 200


def count(key, value, seconds):
    """Add to the count in a key's window and return it; the key has 32 hexadecimal digits.

    A row counts for so many seconds from its first count. The key names the rate limit's window.
    """
    # Guessing it gains nothing.
    if getrandbits(32) % PURGE_ONE_IN == 0:  # nosec B311
        with connection.cursor() as cursor:
            cursor.execute(PURGE)
    [(new_count,)] = fetch_all(COUNT, [key, value, seconds], writes=True)
    return new_count


class PostgresCounters(BaseCache):
    """The part of a cache backend that django-ratelimit and `usages_of` use.

    The library uses `add`, of 1 or of 0, and if it is refused, `incr` or `get`. `add` counts in
    either case, and stores the result for the next call on the same thread (Django creates a
    backend for each thread). So a counted request makes one round trip, not two.
    """

    def __init__(self, _location, params):
        super().__init__(params)
        self.counted = {}

    def add(self, key, value, timeout=DEFAULT_TIMEOUT, version=None):
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        new_count = count(self.digest_of(key, version), value, seconds)
        self.counted = {(key, version): new_count}
        return new_count == value

    def incr(self, key, delta=1, version=None):
        count = self.counted.pop((key, version), None)
        if count is None or delta != 1:
            raise ValueError("incr is only for the key that add has just refused")
        return count

    def get(self, key, default=None, version=None):
        count = self.counted.pop((key, version), None)
        if count is None:
            raise ValueError("get is only for the key that add has just refused")
        return count

    def get_many(self, keys, version=None):
        key_of = {UUID(self.digest_of(key, version)): key for key in keys}
        # On the primary, which counts.
        rows = fetch_all(READ, [list(key_of)], writes=True)
        return {key_of[digest]: count for digest, count in rows}

    def digest_of(self, key, version):
        return blake2b(self.make_key(key, version).encode(), digest_size=16).hexdigest()
