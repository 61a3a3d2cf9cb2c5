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
WHEN_WRITABLE = select.EPOLLOUT | select.EPOLLONESHOT


class Worker(ThreadWorker):
    """gunicorn's threaded worker, in which each thread waits for requests itself.

    In gunicorn's own, the main thread polls all idle connections, hands each request to a thread
    and gets the connection back through a pipe (docs/performance.md says what that costs). Here
    the kernel wakes one idle thread. The main thread accepts connections, closes those that are
    idle for too long, and stops the worker in time.
    """

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        # By descriptor. Popping a connection transfers its ownership to the popping thread.
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
        """The loop of each thread, until the worker ends."""
        while (descriptor := self.next_event()) != self.end:
            conn = self.idle.pop(descriptor, None)
            if conn is None:
                continue
            try:
                self.respond(conn)
            except BaseException:
                # The state of the process is unknown now, so a new worker replaces it. Meanwhile
                # the thread goes on, because the connections already accepted need one.
                self.log.exception("A request has broken its thread; its worker ends")
                self.handle_exit(None, None)

    def next_event(self):
        [(descriptor, _)] = self.events.poll(maxevents=1)
        return descriptor

    def respond(self, conn):
        is_kept = False
        try:
            is_kept = self.handle(conn)
        finally:
            if not is_kept:
                # This waits until the client closes too, so the main thread must not do it.
                with suppress(OSError):
                    conn.close(graceful=True)
                self.method_queue.defer(self.count_out)
        if is_kept:
            self.keep(conn)

    def enqueue_req(self, conn):
        """Register a new connection, which is idle until its first request arrives."""
        descriptor = conn.sock.fileno()
        timeout = max(self.cfg.keepalive, DEFAULT_WORKER_DATA_TIMEOUT)
        conn.timeout = time.monotonic() + timeout
        self.idle[descriptor] = conn
        self.events.register(descriptor, WHEN_READABLE)

    def keep(self, conn):
        """Keep the connection idle until its next request, which may be in its buffer already."""
        descriptor = conn.sock.fileno()
        # A connection is writable at any time, so this event comes without waiting for the client.
        event = WHEN_WRITABLE if has_buffered_data(conn) else WHEN_READABLE
        conn.set_timeout()
        self.idle[descriptor] = conn
        # Checked after the connection is idle: _cap_keepalive, which runs after `alive` is cleared,
        # may have missed it.
        if not self.alive:
            conn.timeout = min(conn.timeout, time.monotonic() + STOP_KEEPALIVE_LINGER)
        # The main thread may have popped and closed it since.
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
            # Its request may have arrived while all threads are busy.
            if not force and (conn.timeout > now or has_buffered_data(conn) or has_data(conn)):
                self.keep(conn)
            else:
                conn.close()
                self.count_out()

    def _cap_keepalive(self, deadline):
        # From here on gunicorn expects a sequence, of which it reads the first item.
        self.keepalived_conns = ()
        for conn in self.idle.copy().values():
            conn.timeout = min(conn.timeout, deadline)


def has_buffered_data(conn):
    """Whether more than the last request was read; the socket does not report it as readable."""
    return conn.parser is not None and bool(conn.parser.unreader.buf.getvalue())


def has_data(conn):
    """Whether the socket has data to read; the client's end of file is none."""
    try:
        return bool(conn.sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except OSError:
        return False
