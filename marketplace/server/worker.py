"""The worker class of gunicorn.conf.py (Linux), in which slow clients hold no thread.

It replaces how gunicorn's threaded worker waits. That one hands a connection to a thread as soon
as it has data; the thread then waits for the rest of the request, for the client to read the
response, and for it to close. Eight slow clients stop two workers of four threads.

Here a connection that waits for its client is parked, and the kernel wakes one thread when there is
something to do: the request is whole, the response can be sent on, the client has closed. The main
thread accepts connections and ends those that wait for too long.

Proved with the release of gunicorn that pyproject.toml pins. Delete it when gunicorn's own worker
waits without a thread; WORKER_CLASS=gthread runs that one.
"""

import os
import select
import socket
import time
from collections import deque
from contextlib import suppress
from operator import attrgetter
from threading import BoundedSemaphore

from gunicorn import util
from gunicorn.http.errors import LimitRequestHeaders
from gunicorn.workers.gthread import (
    DEFAULT_WORKER_DATA_TIMEOUT,
    STOP_KEEPALIVE_LINGER,
    ThreadWorker,
)

from marketplace.api.limits import TOO_SLOW
from marketplace.request_ids import current_request_id, end_request
from marketplace.server.incoming import HeadTooLarge, NotAwaited, is_whole, missing_bytes
from marketplace.server.sockets import ClientSocket

WHEN_READABLE = select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLONESHOT
WHEN_WRITABLE = select.EPOLLOUT | select.EPOLLONESHOT
WHEN_BROKEN = select.EPOLLONESHOT
IS_BROKEN = select.EPOLLHUP | select.EPOLLERR
HAS_ENDED = select.EPOLLRDHUP | IS_BROKEN
READ_SECONDS = 60  # in which a request that a thread has begun to read must have come
CLOSE_SECONDS = 2  # in which a client must have closed after its last response
MAX_UNSENT = 32 * 1024**2  # bytes of responses that wait for their clients


class Worker(ThreadWorker):
    request_timeout = None  # seconds; gunicorn.conf.py sets it

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        # By descriptor. Popping a connection transfers its ownership to the popping thread. By
        # their number gunicorn decides whether another one may be kept.
        self.parked = self.keepalived_conns = {}
        self.deadlines = {}  # of the connections that a thread has in hand
        # Requests that are not awaited whole hold a thread, but at most half of them.
        self.slots = BoundedSemaphore(max(1, self.cfg.threads // 2))
        self.waiting = deque()

    @classmethod
    def check_config(cls, cfg, log):
        super().check_config(cfg, log)
        if cfg.is_ssl:
            raise RuntimeError("TLS needs WORKER_CLASS=gthread")

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
        while True:
            [(descriptor, event)] = self.events.poll(maxevents=1)
            if descriptor == self.end:
                return
            conn = self.parked.pop(descriptor, None)
            if conn is None:
                continue
            try:
                conn.on_event(conn, event)
            except OSError:
                self.close(conn)
            except BaseException:
                # The state of the process is unknown now, so a new worker replaces it. Meanwhile
                # the thread goes on, because the connections already accepted need one.
                self.log.exception("A request has broken its thread; its worker ends")
                self.close(conn)
                self.handle_exit(None, None)

    def handle_error(self, *arguments):
        # The log line comes before the response, and both have the ID.
        current_request_id()
        super().handle_error(*arguments)

    def enqueue_req(self, conn):
        """Register a new connection, which is idle until its first request arrives."""
        conn.sock = ClientSocket.of(conn.sock)
        conn.data_ready = True  # gunicorn need not wait for data
        conn.is_partial, conn.on_event = False, self.receive
        conn.timeout = time.monotonic() + max(self.cfg.keepalive, DEFAULT_WORKER_DATA_TIMEOUT)
        descriptor = conn.sock.fileno()
        self.parked[descriptor] = conn
        self.events.register(descriptor, WHEN_READABLE)

    def park(self, conn, on_event, seconds=None, event=WHEN_READABLE):
        """Wait for the client; without `seconds`, until the deadline that the connection has."""
        descriptor = conn.sock.fileno()
        conn.on_event = on_event
        if seconds is not None:
            conn.timeout = time.monotonic() + seconds
        self.parked[descriptor] = conn
        # The main thread may have popped and closed it since.
        with suppress(OSError):
            self.events.modify(descriptor, event)

    def close(self, conn):
        conn.close()
        self.method_queue.defer(self.count_out)

    def count_out(self):
        self.nr_conns -= 1

    def receive(self, conn, event):
        """Respond to the request if it is whole; otherwise wait for the rest."""
        arrived = conn.sock.peek()
        data = read_ahead(conn) + arrived
        try:
            missing = missing_bytes(data)
        except HeadTooLarge as error:
            end_request()
            self.handle_error(None, conn.sock, conn.client, LimitRequestHeaders(str(error)))
            self.linger(conn)
        except NotAwaited:
            self.receive_piecemeal(conn, event)
        else:
            if not missing or event & HAS_ENDED:
                conn.sock.wake_at(1)
                conn.is_whole = True
                self.respond(conn)
            else:
                conn.sock.wake_at(len(arrived) + missing)
                self.await_rest(conn, has_begun=bool(data))

    def await_rest(self, conn, *, has_begun, event=WHEN_READABLE):
        is_first = has_begun and not conn.is_partial
        conn.is_partial = has_begun
        self.park(conn, self.receive, self.request_timeout if is_first else None, event)

    def receive_piecemeal(self, conn, event):
        """Respond while the request is still coming, or wait for another to be done."""
        if event & IS_BROKEN:
            # What has arrived can still be read, but such a connection could not be parked: the
            # kernel would wake a thread at once, again and again.
            self.close(conn)
            return
        if not self.slots.acquire(blocking=False):
            self.await_rest(conn, has_begun=True, event=WHEN_BROKEN)
            self.waiting.append(conn)
            # One that was done just before has not seen it wait.
            if self.slots.acquire(blocking=False):
                self.release_slot()
            return
        try:
            conn.sock.wake_at(1)
            conn.is_whole = False
            self.respond(conn)
        finally:
            self.release_slot()

    def release_slot(self):
        self.slots.release()
        while self.waiting:
            following = self.waiting.popleft()
            descriptor = following.sock.fileno()
            if self.parked.get(descriptor) is following:
                # The main thread may have closed it since.
                with suppress(OSError):
                    self.events.modify(descriptor, WHEN_READABLE)
                    break

    def respond(self, conn):
        conn.is_partial = False
        self.deadlines[conn] = time.monotonic() + READ_SECONDS
        end_request()
        conn.sock.collect()
        try:
            conn.is_kept = self.handle(conn)
        finally:
            del self.deadlines[conn]
        conn.sock.send_collected()
        self.finish(conn, seconds=self.request_timeout)
        if conn.sock.unsent:
            self.limit_unsent()

    def _keepalive_after(self, conn, keepalive):
        # Before it reads what the application has not read, which may never come.
        conn.sock.send_collected()
        # What is left of a body that has arrived is read at once, so it needs no time limit, which
        # would be two system calls.
        if conn.is_whole:
            return keepalive and conn.parser.finish_body()
        return super()._keepalive_after(conn, keepalive)

    def limit_unsent(self):
        """Have the main thread cut off those that have taken nothing for longest."""
        conns = [conn for conn in [*self.parked.values()] if conn.sock.unsent and conn.timeout]
        excess = sum(len(conn.sock.unsent) for conn in conns) - MAX_UNSENT
        if excess > 0:
            for conn in sorted(conns, key=attrgetter("timeout")):
                if excess > 0:
                    excess -= len(conn.sock.unsent)
                    conn.timeout = 0
            self.method_queue.defer(lambda: None)  # wakes it

    def send_on(self, conn, _event):
        """Send more of the response; a client that takes nothing for too long is cut off."""
        has_taken = conn.sock.flush()
        self.finish(conn, seconds=self.request_timeout if has_taken else None)

    def finish(self, conn, seconds):
        """Wait until the client takes the rest of the response, sends the next request, or ends."""
        if conn.sock.unsent:
            self.park(conn, self.send_on, seconds, WHEN_WRITABLE)
        elif conn.is_kept:
            self.keep(conn)
        else:
            self.linger(conn)

    def keep(self, conn):
        """Keep the connection idle until its next request, which may be in its buffer already."""
        if read_ahead(conn):
            # Writable at once, unless the client has taken none of the last responses.
            self.park(conn, self.receive_next, self.request_timeout, WHEN_WRITABLE)
        else:
            self.park(conn, self.receive, self.cfg.keepalive)
        # Checked after the connection is parked: _cap_keepalive, which runs after `alive` is
        # cleared, may have missed it.
        if not self.alive:
            conn.timeout = min(conn.timeout, time.monotonic() + STOP_KEEPALIVE_LINGER)

    def receive_next(self, conn, event):
        # By its own name `expire` knows that the client has not taken the last responses.
        self.receive(conn, event)

    def linger(self, conn):
        """Close when the client does: closing first could cut off the response (RFC 9112, 9.6)."""
        conn.sock.shutdown(socket.SHUT_WR)
        self.park(conn, self.discard, CLOSE_SECONDS)

    def discard(self, conn, _event):
        if conn.sock.discard():
            self.close(conn)
        else:
            self.park(conn, self.discard)

    def murder_keepalived(self, force=False):  # noqa: FBT002
        """Called by the main thread, once a second at least."""
        now = time.monotonic()
        for conn, deadline in self.deadlines.copy().items():
            if deadline < now:
                # The thread that reads it then reads its end.
                with suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RD)
        for descriptor, conn in self.parked.copy().items():
            if (force or conn.timeout <= now) and self.parked.pop(descriptor, None) is conn:
                try:
                    self.close(conn) if force else self.expire(conn)
                except OSError:
                    self.close(conn)

    def expire(self, conn):
        if conn.on_event in {self.send_on, self.receive_next}:
            conn.sock.reset()
            self.close(conn)
            return
        data = read_ahead(conn) + conn.sock.peek() if conn.on_event == self.receive else b""
        if not data:
            self.close(conn)
        elif not conn.is_partial or is_whole(data):
            # It has arrived while all threads are busy.
            conn.is_partial = True
            self.park(conn, self.receive, self.request_timeout)
        else:
            end_request()
            util.write_error(conn.sock, 408, "Request Timeout", TOO_SLOW)
            self.linger(conn)

    def _cap_keepalive(self, deadline):
        # From here on gunicorn expects a sequence, of which it reads the first item.
        self.keepalived_conns = ()
        for conn in self.parked.copy().values():
            if conn.on_event == self.receive and not conn.is_partial:
                conn.timeout = min(conn.timeout, deadline)


def read_ahead(conn):
    """What was read beyond the last request; the socket does not report it as readable."""
    return b"" if conn.parser is None else conn.parser.unreader.buf.getvalue()
