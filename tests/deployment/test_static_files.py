"""After a build that runs collectstatic, static files are compressed, even between two releases."""

import gzip
import os
import subprocess
import sys

import brotli
import pytest

from demo.postgres import CHECKOUT
from tests.checkouts import bare_checkout
from tests.live import LiveServer

NAMES = ["pages.css", "pages.js", "docs.css", "icon.svg"]
# From other packages, which take long to compress.
OTHERS = ["admin", "unfold", "drf_spectacular_sidecar"]


@pytest.fixture
def server(transactional_db, tmp_path):
    """A server whose checkout has run collectstatic."""
    server = LiveServer(tmp_path / "log", {})
    server.folder = bare_checkout(tmp_path / "checkout")
    ignored = [f"--ignore={name}" for name in OTHERS]
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input", *ignored],
        cwd=server.folder,
        env={"PATH": server.environment["PATH"]},  # A build has neither secrets nor a database.
        check=True,
        capture_output=True,
    )
    with server:
        yield server


@pytest.mark.slow
def test_they_are_sent_as_the_client_accepts_them_and_pages_as_they_are(server, subtests):
    for name in NAMES:
        content = (CHECKOUT / "marketplace/static" / name).read_bytes()
        for accepted, encoding, decode in (
            ("gzip, deflate, br", "br", brotli.decompress),
            ("gzip", "gzip", gzip.decompress),
            ("identity", None, bytes),
        ):
            with subtests.test(name=name, accepted=accepted):
                response = server.request(
                    "GET", f"/static/{name}", headers={"Accept-Encoding": accepted}
                )

                assert response.status == 200
                assert response.headers["Content-Encoding"] == encoding
                assert response.headers["Vary"] == "Accept-Encoding"
                assert decode(response.body) == content
                assert len(response.body) < len(content) or encoding is None

    page = server.request("GET", "/", headers={"Accept-Encoding": "gzip, deflate, br"})
    assert page.status == 200
    assert b'href="/static/pages.css"' in page.body
    assert "Content-Encoding" not in page.headers


@pytest.mark.slow
def test_a_file_of_the_next_release_is_served_whole_before_the_reload(server, subtests):
    path = server.folder / "staticfiles/pages.css"
    before = server.request("GET", "/static/pages.css", headers={"Accept-Encoding": "identity"})
    for content in (b"a{}\n" * 10, b"b{}\n" * 20_000):  # a shorter one, a longer one
        # collectstatic copies all files first, and compresses them afterward.
        path.write_bytes(content)
        moment = path.stat().st_mtime + 2
        os.utime(path, (moment, moment))
        for accepted in ("gzip", "br", "identity"):
            with subtests.test(size=len(content), accepted=accepted):
                headers = {"Accept-Encoding": accepted, "If-None-Match": before.headers["ETag"]}
                response = server.request("GET", "/static/pages.css", headers=headers)

                assert response.status == 200
                assert response.body == content

    (path.with_name("pages.css.gz")).write_bytes(gzip.compress(content))
    os.utime(path.with_name("pages.css.gz"), (moment, moment))
    compressed = server.request("GET", "/static/pages.css", headers={"Accept-Encoding": "gzip"})
    assert compressed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(compressed.body) == content
