"""The requests of `manage.py doctor` to the server, in this process."""

import socket
import ssl
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from tests.api.test_hosts import WRONG_HOST

ADVICE = "Have the proxy send X-Forwarded-Proto, and set TRUSTED_PROXY_COUNT."


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        (
            {"REQUIRE_HTTPS": "true"},
            f"403 (HTTPS is required). {ADVICE}",
        ),
        (
            {"ALLOWED_HOSTS": "market.example"},
            f"400 ({WRONG_HOST}). Add its host to ALLOWED_HOSTS.",
        ),
    ],
    ids=["https", "host"],
)
def test_a_server_that_refuses_requests(live_server_of, lines, variables, problem):
    url = f"http://127.0.0.1:{live_server_of(**variables).port}"

    assert lines("requests", url=url) == [f"{url}/api/v1 gets {problem}"]


def test_a_server_of_this_machine_is_expected_only_where_a_port_is_named(monkeypatch, lines):
    monkeypatch.delenv("PORT", raising=False)
    assert lines("requests") == ["Not checked: set PUBLIC_URL, or name it with --url."]

    monkeypatch.setenv("PORT", "1")
    [line] = lines("requests")
    assert line.startswith("http://127.0.0.1:1/readyz cannot be reached: ")


def test_a_server_that_is_not_there(lines):
    [line] = lines("requests", url="http://127.0.0.1:1/")
    assert line == (
        "http://127.0.0.1:1/readyz cannot be reached: [Errno 111] Connection refused. Start the "
        "server, or name its address with --url or its port with PORT."
    )
    [line] = lines("requests", url="http://nobody.invalid")
    assert line.endswith(" Look at DNS, the firewall and the proxy.")

    assert lines("requests", url="ftp://a") == [
        "ftp://a/readyz is not an http:// or https:// address."
    ]


@contextmanager
def service(respond):
    """The port of a service that responds to one connection: `respond(link)`."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor() as pool:

        def serve():
            with listener.accept()[0] as link:
                respond(link)

        pool.submit(serve)
        yield listener.getsockname()[1]


def test_a_certificate_that_this_machine_does_not_trust(tmp_path, lines):
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *names, *files]
    subprocess.run(command, check=True, capture_output=True, timeout=30)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    def shake_hands(link):
        with suppress(OSError):
            context.wrap_socket(link, server_side=True).close()

    with service(shake_hands) as port:
        url = f"https://127.0.0.1:{port}"
        [line] = lines("requests", url=url)

    assert line.startswith(f"{url}/readyz cannot be reached: [SSL: CERTIFICATE_VERIFY_FAILED] ")
    assert line.endswith(". If you signed the certificate yourself, set SSL_CERT_FILE to it.")


@pytest.mark.parametrize("url", ["http://a b", "http://[::1"])
def test_an_address_that_is_none(lines, url):
    [line] = lines("requests", url=url)

    assert line.startswith(f"{url}/readyz cannot be reached: ")


def test_a_server_that_speaks_no_http(lines):
    with service(lambda link: link.sendall(b"SSH-2.0-OpenSSH\r\n")) as port:
        url = f"http://127.0.0.1:{port}"
        [line] = lines("requests", url=url)

    assert line.startswith(f"{url}/readyz cannot be reached: SSH-2.0-OpenSSH")


def test_a_limit_that_the_doctor_has_used_up_is_no_problem(live_server_of, lines):
    url = f"http://127.0.0.1:{live_server_of(RATE_LIMIT_REVOKE='1/h').port}"

    assert lines("requests", url=url) == [
        f"{url} responds, and believes no address that a client invents."
    ]
