import gc
from time import sleep

from django.core.management.commands import migrate
from django.db import OperationalError, connections
from psycopg.errors import LockNotAvailable

# A request waits two seconds for a lock (TIMEOUTS in marketplace/environment.py), and all requests
# that queue behind a migration wait with it. So the migration leaves the queue in time, and lets
# them pass.
LOCK_TIMEOUT = "1s"
PAUSE = 1  # seconds
OLDEST_TRANSACTION = """
    SELECT pid, date_trunc('second', now() - xact_start)::text FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend'
        AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
    ORDER BY xact_start LIMIT 1
"""


class Command(migrate.Command):
    """Django's command, which repeats a migration until it gets its locks.

    A migration that is not atomic builds indexes concurrently, which makes no request wait. An
    interrupted build would leave an invalid index, so such a migration waits as long as necessary.
    """

    def handle(self, *args, **options):
        self.connection = connections[options["database"]]
        # Django makes model classes for the states between migrations. Collecting garbage among
        # loaded modules would take a fifth of the time.
        gc.freeze()
        while True:
            try:
                return super().handle(*args, **options)
            except OperationalError as error:
                if not isinstance(error.__cause__, LockNotAvailable):
                    raise
            self.say_what_it_waits_for()
            sleep(PAUSE)

    def migration_progress_callback(self, action, migration=None, fake=False):  # noqa: FBT002
        super().migration_progress_callback(action, migration, fake)
        if action in {"apply_start", "unapply_start"}:
            self.set_lock_timeout(LOCK_TIMEOUT if migration.atomic else "0")
        elif action in {"apply_success", "unapply_success"}:
            self.set_lock_timeout("0")

    def set_lock_timeout(self, timeout):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [timeout])

    def say_what_it_waits_for(self):
        with self.connection.cursor() as cursor:
            cursor.execute(OLDEST_TRANSACTION)
            pid, age = cursor.fetchone() or (None, None)
        oldest = f"; the oldest transaction is that of process {pid}, open for {age}" if pid else ""
        # On the line that names the migration.
        self.stdout.write(f" waits for a lock{oldest}")
