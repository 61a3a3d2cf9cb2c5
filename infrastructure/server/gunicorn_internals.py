"""The undocumented parts of gunicorn that the server uses. Any release may change them.

tests/infrastructure/server/test_internals.py names what has changed, and the servers of
tests/deployment show it.
"""

import errno
import os
import time

from gunicorn import glogging, util
from gunicorn.arbiter import Arbiter
from gunicorn.http import body, errors, message, wsgi
from gunicorn.http.parser import RequestParser
from gunicorn.http.unreader import IterUnreader
from gunicorn.workers import gthread

from infrastructure.server.request_ids import current_request_id, end_request
from infrastructure.server.sizes import MAX_BODY

STOP_SECONDS = gthread.STOP_KEEPALIVE_LINGER  # for an idle connection of a stopping worker
NO_DESCRIPTOR = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
InvalidHeader, InvalidRequestLine = errors.InvalidHeader, errors.InvalidRequestLine
FileWrapper = wsgi.FileWrapper
CHUNK_EXTENSIONS = body.CHUNK_EXT_RE.pattern


class BaseWorker(gthread.ThreadWorker):
    """gunicorn's threaded worker, whose threads run `serve` of the subclass.

    Its main thread calls `on_accept` with each new connection, `make_room` while there are too
    many, `close_overdue` at least once a second, and `on_stop`.
    """

    @classmethod
    def check_config(cls, cfg, log):
        super().check_config(cfg, log)
        if cfg.is_ssl:
            raise RuntimeError("TLS needs WORKER_CLASS=gthread")

    def set_kept(self, conns):
        # gunicorn decides by their number whether to keep another one.
        self.keepalived_conns = conns

    def run(self):
        for _ in range(self.cfg.threads):
            self.tpool.submit(self.serve)
        super().run()

    def accept(self, listener):
        try:
            super().accept(listener)
        except OSError as error:
            if error.errno not in NO_DESCRIPTOR:
                raise
            self.make_room()
            time.sleep(0.01)  # The listener is still ready, so gunicorn would retry at once.
        else:
            self.limit_connections()

    def limit_connections(self):
        if self.nr_conns >= self.worker_connections:
            self.make_room()

    def enqueue_req(self, conn):
        self.on_accept(conn)

    def murder_keepalived(self, force=False):  # noqa: FBT002
        self.limit_connections()
        self.close_overdue(force=force)

    def _cap_keepalive(self, deadline):
        # From here on, gunicorn expects a sequence, and reads its first item.
        self.keepalived_conns = ()
        self.on_stop(deadline)

    def respond_to(self, conn):
        """Serve a whole request. Returns whether the connection may be kept."""
        return self.handle(conn)

    def handle_request(self, req, conn):
        req._expected_100_continue = False  # noqa: SLF001  # It has got it already.
        return super().handle_request(req, conn)

    def _keepalive_after(self, conn, keepalive):
        # Send the response before gunicorn reads the part of the body that the application did not
        # read. That part has arrived, so no time limit is needed.
        conn.sock.send_collected()
        return keepalive and conn.parser.finish_body()

    def handle_error(self, *arguments):
        # The log line comes before the response, and both have the ID.
        current_request_id()
        super().handle_error(*arguments)

    def close(self, conn):
        conn.close()
        self.method_queue.defer(self.count_out)

    def count_out(self):
        self.nr_conns -= 1


class BaseConnection(gthread.TConn):
    def __init__(self, plain, sock):
        super().__init__(plain.cfg, sock, plain.client, plain.server)
        self.data_ready = True  # gunicorn need not wait for data

    @property
    def is_unread(self):
        return self.parser is None

    def read_ahead(self):
        """Bytes read beyond the last request. The socket no longer reports them as readable."""
        return b"" if self.is_unread else self.parser.unreader.buf.getvalue()

    def add_read_ahead(self, data):
        """Returns how many bytes there are now."""
        self.init()
        buffer = self.parser.unreader.buf
        buffer.seek(0, os.SEEK_END)
        buffer.write(data)
        return buffer.tell()

    def read_from(self, pieces):
        self.parser = RequestParser(self.cfg, pieces, self.client)


class BaseRequest(message.Request):
    """A request whose headers the subclass checks."""

    def parse(self, unreader):
        end_request()  # the previous one, whose ID log lines and errors would have
        rest = super().parse(unreader)
        self.headers, is_last = self.checked(self.version, self.uri, self.headers)
        if is_last:
            self.force_close()
        return rest

    def set_body_reader(self):
        super().set_body_reader()
        # Announce that the connection ends, because the rest of a long body may stay unread.
        if getattr(self.body.reader, "length", 0) >= MAX_BODY:
            self.force_close()


def framing_of(head, cfg, client):
    """`(length, is_chunked, expects_continue)` of the body below a head, as gunicorn reads it.

    A head that gunicorn refuses has no body.
    """
    try:
        request = RequestParser.mesg_class(cfg, IterUnreader([head]), client)
    except Exception:  # noqa: BLE001  # gunicorn responds to any
        return 0, False, False
    reader = request.body.reader
    is_chunked = isinstance(reader, body.ChunkedReader)
    return getattr(reader, "length", 0), is_chunked, request._expected_100_continue  # noqa: SLF001


class BaseLog(glogging.Logger):
    def access(self, resp, req, environ, request_time):
        # gunicorn's `sent` does not count what the kernel sends from a file.
        size = 0 if req.method == "HEAD" else resp.sent or resp.response_length or 0
        self.log_request(environ, environ["RAW_URI"], int(resp.status[:3]), size, request_time)


def replace(request, write_error, reload):
    RequestParser.mesg_class, util.write_error = request, write_error
    Arbiter.handle_hup = reload


def refuse(sock, status, text):
    util.write_error(sock, status, status.phrase, text)


def end_connection(chunked_body):
    """Close the connection after this response, because the rest of the body is unread."""
    chunked_body.reader.req.force_close()
