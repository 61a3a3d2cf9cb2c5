"""Debian's nginx as an edge: a caching proxy in front of a server."""

import getpass
import http.client
import re
import shutil
import subprocess

import pytest

from tests.live import LiveServer, free_port
from tests.processes import is_within

CONFIGURATION = """
daemon off;
user {user};
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    proxy_cache_path {folder}/cache keys_zone=edge:10m;
    upstream marketplace {{ server 127.0.0.1:{behind}; keepalive 8; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://marketplace;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host:{behind};  # the port that the server knows
            proxy_cache edge;
            proxy_cache_key $scheme://$http_host$request_uri;
            proxy_cache_revalidate on;
            proxy_cache_background_update on;
            add_header X-Cache $upstream_cache_status always;
        }}
    }}
}}
"""


class Edge(LiveServer):
    """nginx in front of a server; X-Cache says where a response came from."""

    def __init__(self, folder, behind):
        self.program = shutil.which("nginx")
        if self.program is None:
            pytest.skip("nginx is not installed")
        self.folder, self.log, self.port = folder, folder / "log", free_port()
        folder.mkdir()
        (folder / "nginx.conf").write_text(
            CONFIGURATION.format(
                folder=folder, behind=behind, port=self.port, user=getpass.getuser()
            )
        )

    def start(self):
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [self.program, "-p", self.folder, "-c", "nginx.conf", "-e", "stderr"],
                stdout=log,
                stderr=log,
            )
        assert is_within(60, self.is_ready), self.log.read_text()

    def stored(self):
        """The URLs of the responses in its cache."""
        files = (self.folder / "cache").iterdir()
        keys = [re.search(rb"\nKEY: (.*)\n", file.read_bytes()) for file in files]
        return {key[1].decode() for key in keys}

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
