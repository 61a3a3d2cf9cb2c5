"""Requests of the model test: each is sent to the server and compared with the model."""

import re
from contextlib import contextmanager
from urllib.parse import quote, urlencode

from tests.system.matchers import Interval, Opaque, differences
from tests.system.model_agents import Reply
from tests.system.model_data import API, OPERATIONS


class ComparedRequests:
    """What the test's machine and its `model`, `server` and `counts` have in common."""

    def __init__(self):
        super().__init__()
        self.has_diverged = False
        self.cursor = None
        self.known = {}  # (token, path) -> the ETag and the body of the last response

    @contextmanager
    def clock(self):
        """Timestamps that are written in the block are in its interval."""
        self.model.interval = Interval()
        yield
        self.model.interval.end()

    def act(self, operation, given=None, token=None):
        """Do the same with the model and the server, and compare the responses.

        `given` is the body; for a GET the query, for a DELETE the values in its path.
        """
        self.model.interval = Interval()
        expected = getattr(self.model, operation)(token, given)
        method, path = OPERATIONS[operation].method, OPERATIONS[operation].route
        if method == "GET" and given:
            path, given = f"{path}?{urlencode(given)}", None
        if method == "DELETE":
            path, given = path.format(**given), None
        self.compare(operation, expected, method, path, given, token)

    def open(self, kind, slug, token=None):
        expected = self.model.detail(kind, slug)
        self.compare("detail", expected, "GET", f"{API}/{kind}/{slug}", token=token)

    def open_version(self, kind, slug, number):
        expected = self.model.version(kind, slug, number)
        path = f"{API}/{kind}/{slug}/versions/{quote(number)}"
        self.compare("version", expected, "GET", path)

    def read_changes(self, since=None):
        """Everything that changed since a cursor, and the next cursor."""
        changes, path = {}, f"{API}/changes?limit=3" + (f"&since={since}" if since else "")
        while True:
            status, got = self.response_to("GET", path, None, None)
            self.counts["requests"] += 1
            self.counts["changes", status] += 1
            assert status == 200, got
            for row in got.body["results"]:
                change = row["change"], row["digest"], row["number"]
                changes[row["kind"], row["slug"]] = change
            path = got.body["next"].removeprefix(self.base_url)
            if not got.body["results"]:
                return changes, got.body["cursor"]

    def check_changes(self):
        """The changes since the last call. test_mirror.py follows them."""
        changes, self.cursor = self.read_changes(self.cursor)
        self.agree("the changes", self.model.changes(), changes)

    def agree(self, what, expected, got):
        if expected != got:
            self.has_diverged = True
            raise AssertionError(f"{what}: expected {expected}, got {got}")

    def paginate(self, operation, query, token=None, *below):
        """A list from its first page to its last and back, by its links.

        `below` is the slug of its entry, if it belongs to one.
        """
        self.model.interval = Interval()
        rows = getattr(self.model, operation)(token, query, *below)
        route = OPERATIONS[operation].route.format(slug="".join(below))
        path = f"{route}?{urlencode(query, doseq=True)}"
        if isinstance(rows, Reply):
            self.compare(operation, rows, "GET", path, token=token)
            return
        limit = int(query.get("limit", 20))
        pages = [rows[start : start + limit] for start in range(0, len(rows), limit)] or [[]]
        link = rf"{re.escape(self.base_url + route)}\?.*cursor=.+"

        def links_of(path, number):
            expected = {
                "results": pages[number],
                "count": len(rows),
                "next": Opaque(link) if number + 1 < len(pages) else None,
                "previous": Opaque(link) if number else None,
            }
            path = path.removeprefix(self.base_url)
            return self.compare(operation, Reply(200, expected), "GET", path, token=token)

        there = list(range(len(pages)))
        for number in there:
            links = links_of(path, number)
            path = links["next"]
        for number in there[-2::-1]:
            links = links_of(links["previous"], number)

    def compare(self, operation, expected, method, path, body=None, token=None):
        """Send a request; AssertionError if the response is not the expected one."""
        status, got = self.response_to(method, path, body, token)
        self.model.interval.end()
        self.counts["requests"] += 1
        self.counts[operation, status] += 1
        wrong = differences(vars(expected), vars(got))
        if wrong:
            self.has_diverged = True
            request = f"{method} {path} {body or ''} with {token or 'no token'}"
            raise AssertionError(f"{request}: {'; '.join(wrong)}")
        return got.body

    def response_to(self, method, path, body, token):
        """The status, and the client's Reply: after a 304, the one it had."""
        etag, known = self.known.get((token, path), (None, None))
        headers = {"If-None-Match": etag} if etag else {}
        if isinstance(body, bytes):
            headers |= {"Content-Type": "application/zip"}
        text = token and str(token.text)
        response = self.server.request(method, path, body, token=text, headers=headers)
        if response.status == 304 and etag:
            assert (response.headers["ETag"], response.body) == (etag, b"")
            return 304, Reply(200, known)
        assert response.headers["Content-Type"] == "application/json", response
        content = response.json()
        if (token or "/versions" in path) and response.headers["ETag"]:
            self.known[token, path] = response.headers["ETag"], content
        return response.status, Reply(
            response.status, content, response.headers["WWW-Authenticate"]
        )
