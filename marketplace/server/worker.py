"""The worker class of gunicorn.conf.py (Linux)."""

import os
import select
import socket
import time
from contextlib import suppress

from gunicorn.workers.gthread import (
    DEFAULT_WORKER_DATA_TIMEOUT,
    STOP_KEEPALIVE_LINGER,
    ThreadWorker,
)

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
        while (descriptor := self.next_event()) != self.end:
            conn = self.idle.pop(descriptor, None)
            if conn is None:
                continue
            try:
                self.answer(conn)
            except BaseException:
                # Who can tell what is left of this process? Another takes over. The thread goes on:
                # what has been accepted by now would wait for one until graceful_timeout.
                self.log.exception("A request has broken its thread; its worker ends")
                self.handle_exit(None, None)

    def next_event(self):
        [(descriptor, _)] = self.events.poll(maxevents=1)
        return descriptor

    def answer(self, conn):
        is_kept = False
        try:
            is_kept = self.handle(conn)
        finally:
            if not is_kept:
                # This waits for the client to close too, which would hold up the main thread.
                with suppress(OSError):
                    conn.close(graceful=True)
                self.method_queue.defer(self.count_out)
        if is_kept:
            self.keep(conn)

    def enqueue_req(self, conn):
        """What becomes of a new connection: it is idle until something arrives."""
        descriptor = conn.sock.fileno()
        patience = max(self.cfg.keepalive, DEFAULT_WORKER_DATA_TIMEOUT)
        conn.timeout = time.monotonic() + patience
        self.idle[descriptor] = conn
        self.events.register(descriptor, WHEN_READABLE)

    def keep(self, conn):
        """Let the connection be idle until its next request, which may have been read already."""
        descriptor, event = conn.sock.fileno(), AT_ONCE if is_ahead(conn) else WHEN_READABLE
        conn.set_timeout()
        self.idle[descriptor] = conn
        # In this order: if it was idle too late for _cap_keepalive, the worker is stopping by now.
        if not self.alive:
            conn.timeout = min(conn.timeout, time.monotonic() + STOP_KEEPALIVE_LINGER)
        # Whoever has it by now may have closed it.
        with suppress(OSError):
            self.events.modify(descriptor, event)

    def count_out(self):
        self.nr_conns -= 1

    def murder_keepalived(self, force=False):  # noqa: FBT002
        now = time.monotonic()
        for descriptor, conn in self.idle.copy().items():
            if conn.timeout > now and not force:
                break
            if self.idle.pop(descriptor, None) is None:
                continue
            # All threads may be busy, and its request here.
            if not force and (conn.timeout > now or is_ahead(conn) or has_arrived(conn)):
                self.keep(conn)
            else:
                conn.close()
                self.count_out()

    def _cap_keepalive(self, deadline):
        # From here on gunicorn would look for the first of a list.
        self.keepalived_conns = ()
        for conn in self.idle.copy().values():
            conn.timeout = min(conn.timeout, deadline)


def is_ahead(conn):
    """Whether more was read than the last request, which is not readable a second time."""
    return conn.parser is not None and bool(conn.parser.unreader.buf.getvalue())


def has_arrived(conn):
    """Whether there is something to be read, other than the client's farewell."""
    try:
        return bool(conn.sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except OSError:
        return False
