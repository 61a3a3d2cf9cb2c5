"""The worker class of gunicorn.conf.py (Linux). Its threads never wait for slow clients.

gunicorn's threaded worker hands a connection to a thread as soon as it has data. The thread then
waits for the rest of the request, for the client to read the response, and for the client to close.
Eight slow clients stop two workers of four threads.

Here a connection that waits for its client is parked. The kernel wakes one thread when there is
something to do: the request is whole, the response can be sent on, the client has closed. The main
thread accepts connections and ends those that wait for too long.

Tested with the release of gunicorn that pyproject.toml pins. Delete it when gunicorn's own worker
waits without a thread; WORKER_CLASS=gthread uses that one.
"""

import os
import select
import socket
import time
from contextlib import suppress
from functools import partial
from http import HTTPStatus

from infrastructure.server.connections import FIRST_SECONDS, ClientConnection, ParkedConnections
from infrastructure.server.gunicorn_internals import STOP_SECONDS, BaseWorker, refuse
from infrastructure.server.incoming import RequestRefused
from infrastructure.server.request_ids import end_request
from infrastructure.server.sizes import NO_ROOM, TOO_SLOW
from infrastructure.server.turns import Turns, path_and_forwarded
from infrastructure.server.uploads import BodyAwaited, head_alone, is_body_awaited

WHEN_READABLE = select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLONESHOT
WHEN_WRITABLE = select.EPOLLOUT | select.EPOLLONESHOT
HAS_ENDED = select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR
UPLOAD_SECONDS = 60  # for an upload to arrive
CLOSE_SECONDS = 2  # for a client to close after its last response
MAX_UNSENT = 32 * 1024**2  # bytes of responses that wait for their clients
MAX_STORED = 32 * 1024**2  # bytes of incomplete requests in memory
MAX_UPLOADS = 128 * 1024**2  # bytes of incomplete uploads in files


class Worker(BaseWorker):
    request_timeout = None  # seconds; gunicorn.conf.py sets it

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.parked = ParkedConnections()
        self.set_kept(self.parked)
        # Connections that wait here cannot be closed to make room for others.
        self.turns = Turns(self.worker_connections // 4)

    def run(self):
        self.events = select.epoll()
        self.end = os.eventfd(0)
        self.events.register(self.end, select.EPOLLIN)
        try:
            super().run()
        finally:
            os.eventfd_write(self.end, 1)
            self.turns.close()

    def serve(self):
        """The loop of each thread, until the worker ends."""
        while True:
            [(descriptor, event)] = self.events.poll(maxevents=1)
            if descriptor == self.end:
                return
            conn = self.parked.pop(descriptor, None)
            if conn is not None:
                self.run_for(conn, conn.on_event, event)

    def run_for(self, conn, function, *arguments):
        try:
            function(conn, *arguments)
        except OSError:
            self.close(conn)
        except BaseException:
            # The state of the process is unknown now, so a new worker replaces it. Meanwhile the
            # thread goes on, because the connections already accepted need one.
            self.log.exception("A request has broken its thread; its worker ends")
            self.alive = False
            self.close(conn)

    def make_room(self):
        for descriptor, conn in self.parked.idlest():
            if self.parked.pop(descriptor, None) is conn:
                self.close(conn)

    def on_accept(self, plain):
        """Register a new connection, which is idle until its first request arrives."""
        conn = ClientConnection(plain)
        conn.on_event = self.receive
        conn.deadline = time.monotonic() + FIRST_SECONDS
        descriptor = conn.sock.fileno()
        self.parked[descriptor] = conn
        self.events.register(descriptor, WHEN_READABLE)

    def park(self, conn, on_event, seconds=None, event=WHEN_READABLE):
        """Wait for the client; without `seconds`, until the deadline of the connection."""
        descriptor = conn.sock.fileno()
        conn.on_event = on_event
        if seconds is not None:
            conn.deadline = time.monotonic() + seconds
        self.parked[descriptor] = conn
        # The main thread may have popped and closed it meanwhile.
        with suppress(OSError):
            self.events.modify(descriptor, event)

    def receive(self, conn, event):
        """Respond to the request if it is whole; otherwise wait for the rest."""
        arrived = conn.sock.peek()
        data = conn.read_ahead() + arrived
        try:
            missing = conn.incoming.missing(data)
        except RequestRefused as error:
            self.refuse(conn, *error.args)
        else:
            if missing and conn.incoming.is_unjudged and not self.accepts_head(conn, data):
                return
            conn.tell_to_continue()
            if missing and conn.incoming.is_upload:
                self.receive_upload(conn, event)
            elif not missing or event & HAS_ENDED:
                self.respond_in_turn(conn, data)
            else:
                # The kernel wakes it early if it has no room for the rest.
                if conn.incoming.is_chunked or len(arrived) < conn.sock.wakes_at:
                    conn.store_body(len(arrived))
                    arrived = b""
                    if not self.has_room(conn, MAX_STORED):
                        return
                conn.sock.wake_at(len(arrived) + missing)
                self.await_rest(conn, has_begun=bool(data))

    def await_rest(self, conn, *, has_begun):
        is_first = has_begun and not conn.is_partial
        conn.is_partial = has_begun
        self.park(conn, self.receive, self.request_timeout if is_first else None)

    def accepts_head(self, conn, data):
        """Whether the application wants to read the body. If not, it has responded."""
        conn.incoming.is_unjudged = False
        parser, head = conn.parser, data[: conn.incoming.body]
        conn.read_from(head_alone(head))
        is_body_awaited.set(True)
        try:
            self.respond(conn)
        except BodyAwaited:
            conn.sock.send_collected()
            conn.parser = parser
            return True
        finally:
            is_body_awaited.set(False)
        return False

    def receive_upload(self, conn, _event):
        seconds = UPLOAD_SECONDS if conn.upload is None else None
        try:
            has_ended = conn.store_upload()
        except ConnectionError:
            raise
        except OSError as error:
            self.log.warning("An upload cannot be stored: %s", error)
            self.refuse(conn, HTTPStatus.SERVICE_UNAVAILABLE, NO_ROOM)
            return
        if not conn.upload.missing:
            self.respond_in_turn(conn, conn.upload.start(conn.incoming.body))
        elif has_ended:
            self.close(conn)
        elif self.has_room(conn, MAX_UPLOADS):
            self.park(conn, self.receive_upload, seconds)

    def has_room(self, conn, bound):
        """Whether the request may be stored. If there are too many, the largest has to leave."""
        largest = self.parked.largest_beyond(conn, bound)
        if largest is conn:
            self.refuse(conn, HTTPStatus.SERVICE_UNAVAILABLE, NO_ROOM)
        elif largest is not None:
            largest.deadline = 0  # It is parked, so only the main thread may take it.
        return largest is not conn

    def refuse(self, conn, status, text):
        end_request()
        refuse(conn.sock, status, text)
        end_request()
        self.linger(conn)

    def respond(self, conn):
        conn.sock.wake_at(1)
        conn.sock.collect()
        conn.is_kept = self.respond_to(conn)
        conn.sock.send_collected()
        conn.end_request()
        end_request()
        self.finish(conn, seconds=self.request_timeout)
        if conn.sock.unsent:
            for other in self.parked.beyond(MAX_UNSENT):
                other.deadline = 0

    def respond_in_turn(self, conn, data):
        """Respond now, or in the client's turn if the application says that it takes long."""
        client = self.slow_client(data[: conn.incoming.body], conn.client)
        if client is None:
            self.respond(conn)
            return
        refuse = partial(self.run_for, conn, self.refuse, HTTPStatus.SERVICE_UNAVAILABLE, NO_ROOM)
        self.turns.add(client, partial(self.run_for, conn, self.respond), refuse)

    def slow_client(self, head, peer):
        """Whose turn the request waits for; None if it waits for nobody's."""
        slow_client = getattr(self.wsgi, "slow_client", None)
        path, forwarded = path_and_forwarded(head)
        return slow_client and slow_client(path, peer, forwarded)

    def send_on(self, conn, _event):
        """Send more of the response; a client that takes nothing for too long is cut off."""
        has_taken = conn.sock.flush()
        self.finish(conn, seconds=self.request_timeout if has_taken else None)

    def finish(self, conn, seconds):
        """Wait until the client reads the rest of the response, sends the next request, or ends."""
        if conn.sock.unsent:
            conn.sock.has_taken()  # from here on
            self.park(conn, self.send_on, seconds, WHEN_WRITABLE)
        elif conn.is_kept:
            self.keep(conn)
        else:
            self.linger(conn)

    def keep(self, conn):
        """Keep the connection idle until its next request, which may be in its buffer already."""
        if conn.read_ahead():
            # Writable at once, unless the client has not read the last responses at all.
            self.park(conn, self.receive_next, self.request_timeout, WHEN_WRITABLE)
        else:
            self.park(conn, self.receive, self.cfg.keepalive)
        # Checked after the connection is parked: on_stop, which runs after `alive` is cleared, may
        # have missed it.
        if not self.alive:
            conn.deadline = min(conn.deadline, time.monotonic() + STOP_SECONDS)

    def receive_next(self, conn, event):
        # `expire` recognizes by this name that the client has not read the last responses.
        self.receive(conn, event)

    def linger(self, conn):
        """Close when the client does: closing first could cut off the response (RFC 9112, 9.6)."""
        conn.end_request()
        conn.sock.shutdown(socket.SHUT_WR)
        conn.sock.wake_at(1)
        self.park(conn, self.discard, CLOSE_SECONDS)

    def discard(self, conn, _event):
        if conn.sock.discard():
            self.close(conn)
        else:
            self.park(conn, self.discard)

    def close_overdue(self, *, force):
        now = time.monotonic()
        for descriptor, conn in self.parked.copy().items():
            if (force or conn.deadline <= now) and self.parked.pop(descriptor, None) is conn:
                try:
                    self.close(conn) if force else self.expire(conn)
                except OSError:
                    self.close(conn)

    def expire(self, conn):
        if conn.on_event == self.send_on and conn.deadline and conn.sock.has_taken():
            self.park(conn, self.send_on, self.request_timeout, WHEN_WRITABLE)
        elif conn.on_event in {self.send_on, self.receive_next}:
            conn.sock.reset()
            self.close(conn)
        elif conn.stored and not conn.deadline:
            self.refuse(conn, HTTPStatus.SERVICE_UNAVAILABLE, NO_ROOM)
        elif conn.on_event == self.receive_upload:
            self.refuse(conn, HTTPStatus.REQUEST_TIMEOUT, TOO_SLOW)
        elif conn.on_event != self.receive or not (conn.read_ahead() or conn.sock.peek()):
            self.close(conn)
        elif not conn.is_partial or conn.is_whole():
            # It arrived while all threads were busy.
            conn.is_partial = True
            self.park(conn, self.receive, self.request_timeout)
        else:
            self.refuse(conn, HTTPStatus.REQUEST_TIMEOUT, TOO_SLOW)

    def on_stop(self, deadline):
        for conn in self.parked.copy().values():
            if conn.on_event == self.receive and not conn.is_partial:
                conn.deadline = min(conn.deadline, deadline)
