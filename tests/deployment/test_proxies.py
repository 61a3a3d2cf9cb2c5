"""The sites of nginx and Caddy in deploy/, in front of a server, with TLS."""

import contextlib
import http.client
import os
import re
import shutil
import ssl
import subprocess
import sys

import pytest

from demo.postgres import CHECKOUT
from tests.live import LiveServer, Response, free_port

HOST = "localhost"
REVOKE = "/api/v1/tokens/revoke"
NGINX = """
daemon off;
pid {folder}/pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {site}
}}
"""
# What the machine of a test has otherwise: no port 80, no way to a certificate authority.
CADDY = "{{\nadmin off\nauto_https disable_redirects\nskip_install_trust\n}}\n{site}"
CERTIFICATE = (
    *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
    *("-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"),
    *("-keyout", "privkey.pem", "-out", "fullchain.pem"),
)


class Proxy(LiveServer):
    """A proxy with TLS; `request` speaks HTTPS."""

    def __init__(self, folder, behind):
        self.folder, self.log, self.port, self.plain_port = folder, folder / "log", *ports(2)
        self.environment = os.environ | {"XDG_DATA_HOME": str(folder), "HOME": str(folder)}
        self.behind = behind
        self.command = self.prepare()

    def request(self, method, path, body=None, *, headers=None):
        context = ssl._create_unverified_context()
        link = http.client.HTTPSConnection(HOST, self.port, context=context, timeout=30)
        # As on port 443, which a Host does not name.
        headers = {"Host": HOST, "Content-Type": "application/json", **(headers or {})}
        with contextlib.closing(link):
            link.request(method, path, body, headers)
            response = link.getresponse()
            return Response(response.status, response.headers, response.read())


class Nginx(Proxy):
    program = "nginx"

    def prepare(self):
        subprocess.run(CERTIFICATE, cwd=self.folder, check=True, capture_output=True)
        site = (CHECKOUT / "deploy/nginx.conf").read_text()
        site = re.sub(r"listen \[::\].*;\n", "", site)
        for old, new in {
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen 443": f"listen 127.0.0.1:{self.port}",
            "marketplace.example.com": HOST,
            "/etc/ssl/marketplace": str(self.folder),
            "127.0.0.1:8000": f"127.0.0.1:{self.behind.port}",
        }.items():
            assert old in site
            site = site.replace(old, new)
        (self.folder / "nginx.conf").write_text(NGINX.format(folder=self.folder, site=site))
        return ["nginx", "-p", self.folder, "-c", "nginx.conf", "-e", "stderr"]


class Caddy(Proxy):
    program = "caddy"

    def prepare(self):
        self.environment |= {
            "DOMAIN": f"https://{HOST}:{self.port}",
            "UPSTREAM": f"127.0.0.1:{self.behind.port}",
        }
        site = (CHECKOUT / "deploy/Caddyfile").read_text()
        (self.folder / "Caddyfile").write_text(CADDY.format(site=site))
        return ["caddy", "run", "--config", self.folder / "Caddyfile", "--adapter", "caddyfile"]


def ports(number):
    return [free_port() for _ in range(number)]


@pytest.fixture
def server(live_server_of):
    return live_server_of(
        ALLOWED_HOSTS=HOST,
        # The server does not listen on the port of a test's proxy.
        PUBLIC_URL=f"https://{HOST}",
        BIND="127.0.0.1",
        REQUIRE_HTTPS="true",
        TRUSTED_PROXY_COUNT="1",
    )


@pytest.fixture(params=[Nginx, Caddy], ids=["nginx", "caddy"])
def proxy(request, server, tmp_path):
    if shutil.which(request.param.program) is None:
        pytest.skip(f"{request.param.program} is not installed")
    with request.param(tmp_path, server) as proxy:
        yield proxy


def test_an_agent_registers_over_https(proxy):
    response = proxy.request("POST", "/api/v1/agents/register", "{}")

    assert response.status == 201
    assert response.json()["claim"]["claimUrl"].startswith(f"https://{HOST}/claim/")
    assert proxy.request("GET", "/admin/login/").status == 200


def test_no_client_chooses_the_address_that_it_is_counted_by(proxy):
    remaining = []
    for address in ("203.0.113.7", "203.0.113.8"):
        headers = {"X-Forwarded-For": address, "X-Forwarded-Proto": "http"}
        response = proxy.request("POST", REVOKE, "{}", headers=headers)
        assert response.status == 400  # and no 403: the proxy says that it is HTTPS
        remaining.append(re.findall(r"r=(\d+)", response.headers["RateLimit"])[0])

    assert int(remaining[0]) == int(remaining[1]) + 1


@pytest.mark.contract("24.10")
def test_the_doctor_finds_nothing_to_fix_in_front(proxy, server):
    if isinstance(proxy, Caddy):
        certificate = proxy.folder / "caddy/pki/authorities/local/root.crt"
    else:
        certificate = proxy.folder / "fullchain.pem"
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", f"--url=https://{HOST}:{proxy.port}"],
        cwd=CHECKOUT,
        env=server.environment | {"SSL_CERT_FILE": str(certificate), "ALLOWED_HOSTS": HOST},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (
        f"ok  requests       https://{HOST}:{proxy.port} responds, and believes no address that a "
        "client invents.\n"
    ) in done.stdout


def test_nginx_redirects_plain_requests(server, tmp_path):
    if shutil.which("nginx") is None:
        pytest.skip("nginx is not installed")
    with Nginx(tmp_path, server) as nginx:
        link = http.client.HTTPConnection("127.0.0.1", nginx.plain_port, timeout=30)
        link.request("GET", "/skills?q=a", headers={"Host": HOST})
        response = link.getresponse()
        link.close()

    assert response.status == 301
    assert response.headers["Location"] == f"https://{HOST}/skills?q=a"
