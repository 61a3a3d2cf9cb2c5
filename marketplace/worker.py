"""The worker class of gunicorn.conf.py (Linux)."""

import os
import select
import time

from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, ThreadWorker

WHEN_READABLE = select.EPOLLIN | select.EPOLLONESHOT
AT_ONCE = select.EPOLLOUT | select.EPOLLONESHOT


class Worker(ThreadWorker):
    """gunicorn's own threads, but each of them waits for requests itself.

    There the main thread watches all idle connections, hands each request to a thread and gets the
    connection back through a pipe: a sixth of a known list's processor time, a tenth of a
    profile's. Here the kernel wakes one of the threads that have nothing to do. The main thread
    accepts connections, closes what has been idle for too long, and stops in time.
    """

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        # By descriptor. Whoever takes a connection out, a thread or the main one, has it alone.
        self.idle = self.keepalived_conns = {}

    def run(self):
        self.events = select.epoll()
        self.end = os.eventfd(0)
        self.events.register(self.end, select.EPOLLIN)
        for _ in range(self.cfg.threads):
            self.tpool.submit(self.serve)
        try:
            super().run()
        finally:
            os.eventfd_write(self.end, 1)

    def serve(self):
        """What each thread does, until the end."""
        while True:
            [(descriptor, _)] = self.events.poll(maxevents=1)
            if descriptor == self.end:
                return
            conn = self.idle.pop(descriptor, None)
            if conn is not None:
                self.answer(conn)

    def enqueue_req(self, conn):
        """What becomes of a new connection: it is idle until something arrives."""
        conn.data_ready = True
        self.events.register(conn.sock, 0)
        self.keep(conn, WHEN_READABLE)

    def answer(self, conn):
        is_kept = False
        try:
            is_kept = self.handle(conn)
            if is_kept:
                # What was read ahead of the next request does not make the socket readable again.
                is_ahead = conn.parser.unreader.buf.getvalue()
                self.keep(conn, AT_ONCE if is_ahead else WHEN_READABLE)
        finally:
            if not is_kept:
                # This waits for the client to close too, which would hold up the main thread.
                conn.close(graceful=True)
                self.method_queue.defer(self.count_out)

    def keep(self, conn, event):
        conn.set_timeout()
        self.idle[conn.sock.fileno()] = conn
        # In this order: if it was idle too late for _cap_keepalive, the worker is stopping by now.
        if not self.alive:
            conn.timeout = min(conn.timeout, time.monotonic() + STOP_KEEPALIVE_LINGER)
        self.events.modify(conn.sock, event)

    def count_out(self):
        self.nr_conns -= 1

    def murder_keepalived(self, force=False):  # noqa: FBT002
        now = time.monotonic()
        for descriptor, conn in self.idle.copy().items():
            if conn.timeout > now and not force:
                break
            if self.idle.pop(descriptor, None):
                conn.close()
                self.count_out()

    def _cap_keepalive(self, deadline):
        # From here on gunicorn would look for the first of a list.
        self.keepalived_conns = ()
        for conn in self.idle.copy().values():
            conn.timeout = min(conn.timeout, deadline)
