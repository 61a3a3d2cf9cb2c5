"""An issuer on loopback: the tokens and the keys of CI, and the servers that it may have."""

import json
import time
from base64 import urlsafe_b64encode
from datetime import timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import get_default_algorithms

from publishers.models import Publisher

MAKERS = {
    "RS256": lambda: rsa.generate_private_key(65537, 2048),
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
}
numbers = count(1)
HOUR = 3600  # seconds


@cache
def private_key(algorithm, number=1):
    """One for the whole run: making an RSA key takes longer than a test."""
    return MAKERS[algorithm]()


def jwk_of(key, algorithm, key_id):
    data = get_default_algorithms()[algorithm].to_jwk(key.public_key(), as_dict=True)
    return data | {"kid": key_id, "alg": algorithm, "use": "sig"}


def encoded(data):
    """A part of a JWT: bytes, or what is written as JSON."""
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return urlsafe_b64encode(data).rstrip(b"=")


class IssuerHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        issuer = self.server.issuer
        issuer.fetched.append(self.path)
        answer = issuer.answers.get(self.path)
        if callable(answer):
            answer(self)
        elif answer is None:
            self.send_error(404)
        else:
            self.reply(json.dumps(answer).encode())

    def reply(self, body, status=200, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class IssuerServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client that hangs up is what the tests are about."""


class CI:
    """Signs tokens for the runs of one project."""

    def __init__(self, url):
        self.url = url
        self.rotate()

    def rotate(self, algorithm="ES256", number=1, key_id="first"):
        """Sign with another key from now on."""
        self.algorithm, self.key_id = algorithm, key_id
        self.key = private_key(algorithm, number)

    @property
    def keys(self):
        return [jwk_of(self.key, self.algorithm, self.key_id)]

    def publisher(self, agent, **values):
        """The main branch of the repository 74 may publish."""
        about = {
            "audience": "http://testserver",
            "project_claim": "repository_id",
            "project": "74",
            "ref": "refs/heads/main",
            "ref_type": "branch",
        }
        return Publisher.objects.create(agent=agent, issuer=self.url, **about | values)

    def claims(self, *, lasts=300, **changes):
        """Those of GitHub Actions for a push.

        A claim that is changed to None is absent. One that is changed to a timedelta is that time
        from now.
        """
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": "http://testserver",
            "sub": "repo:acme/skills:ref:refs/heads/main",
            "jti": f"token-{next(numbers)}",
            "iat": now,
            "nbf": now - 300,
            "exp": now + lasts,
            "repository": "acme/skills",
            "repository_id": "74",
            "event_name": "push",
            "ref": "refs/heads/main",
            "ref_type": "branch",
            "ref_protected": "true",
            "head_ref": "",
            "base_ref": "",
            "sha": "9b2f0c1d4e5a6b7c8d9e0f1a2b3c4d5e6f708192",
            "run_id": "15873202911",
            **changes,
        }
        return {
            name: now + value.total_seconds() if isinstance(value, timedelta) else value
            for name, value in claims.items()
            if value is not None
        }

    def token(self, *, headers=None, **changes):
        return self.sign(self.claims(**changes), headers)

    def sign(self, claims, headers=None):
        """The JWT of claims, or of the bytes in their place."""
        header = {"alg": self.algorithm, "kid": self.key_id, "typ": "JWT"} | (headers or {})
        signed = b".".join([encoded(header), encoded(claims)])
        signature = get_default_algorithms()[self.algorithm].sign(signed, self.key)
        return b".".join([signed, encoded(signature)]).decode()


class LoopbackIssuer(CI):
    """It serves its keys, too, until it is closed."""

    DISCOVERY, KEYS = "/.well-known/openid-configuration", "/keys"

    def __init__(self, host="127.0.0.1", context=None):
        """With the context of a certificate, over https."""
        self.server = IssuerServer(("127.0.0.1", 0), IssuerHandler)
        self.server.issuer = self
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.answers, self.fetched = {}, []
        super().__init__(f"http{'s' if context else ''}://{host}:{self.server.server_port}")
        self.answers[self.DISCOVERY] = {"issuer": self.url, "jwks_uri": self.url + self.KEYS}
        self.thread = Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def rotate(self, *args, **options):
        """Sign with another key from now on, and withdraw all others."""
        super().rotate(*args, **options)
        self.answers[self.KEYS] = {"keys": self.keys}

    def close(self):
        self.server.shutdown()
        self.server.server_close()


BOTH = [LoopbackIssuer.DISCOVERY, LoopbackIssuer.KEYS]  # what fetching its keys reads
