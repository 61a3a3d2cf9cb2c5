"""The history of rows that a server has: its cluster, the cluster's timeline, and its own start.

The version of a row (xmin, ctid) is unique in one history only. After a failover that lost a write,
a dump restored into another cluster, or a snapshot of the disk put back, the same version may
belong to another state of the row.
"""

import logging
from functools import cache

from django.db import NotSupportedError, ProgrammingError

logger = logging.getLogger(__name__)
# Seconds. A connection stays in one history, but a pooler may lend it other servers.
MAX_AGE = 1
# pg_control_checkpoint() has the timeline of the last checkpoint, which may be an older one. A
# standby does not know its own timeline yet, so anything read from it counts as new.
HISTORY = """
SELECT CASE WHEN pg_is_in_recovery() THEN gen_random_uuid()::text
    ELSE system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
        || '/' || extract(epoch FROM pg_postmaster_start_time()) END
FROM pg_control_system()
"""


def read_history(fetch):
    try:
        [(history,)] = fetch(HISTORY)
    except (ProgrammingError, NotSupportedError) as error:
        warn(str(error))
        return "unknown"
    return history


@cache
def warn(problem):
    logger.warning(
        "cached responses may be wrong after a failover, because the database does not say which "
        "timeline it is on: %s",
        problem.splitlines()[0],
    )
