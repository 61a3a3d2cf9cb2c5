"""A small identity provider on this machine, to try sign-in with (docs/deploy/sign-in.md).

It speaks OpenID Connect's code flow as a real one does: PKCE, codes that work once, a client with a
secret, `prompt=none`. Its people sign in by a click, without a password, so it is for this machine.
"""

import json
import time
from base64 import b64decode, urlsafe_b64encode
from hashlib import sha256
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from threading import Thread
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

CLIENT_ID, GROUPS = (
    "marketplace",
    "editors=writers,moderators=helpers,superusers=it,members=everyone",
)
PEOPLE = {
    "ada": {"name": "Ada Lovelace", "groups": ["everyone", "writers"]},
    "grace": {"name": "Grace Hopper", "groups": ["everyone", "it"]},
    "alan": {"name": "Alan Turing", "groups": ["everyone"]},
    "mallory": {"name": "Mallory", "groups": ["guests"]},
}
LIFETIME = 300  # seconds, of an ID token
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Demo identity provider</title>
<link rel="icon" href="data:,"><main id="main"><h1>Sign in to the demo's company</h1>
<p>Choose a person. Nobody here has a password.</p><ul>{links}</ul>{out}</main></html>"""


class ProviderHandler(BaseHTTPRequestHandler):
    wbufsize = -1  # The head and the body in one packet: a second one would wait for 40 ms.

    def do_GET(self):
        url = urlsplit(self.path)
        self.answer(self.server.provider.get(url.path, dict(parse_qsl(url.query)), self.person()))

    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        form = dict(parse_qsl(self.rfile.read(size).decode()))
        self.answer(self.server.provider.exchange(form, self.headers.get("Authorization", "")))

    def person(self):
        """The person who is signed in at the provider in this browser, or None."""
        morsel = SimpleCookie(self.headers.get("Cookie")).get("demo-provider")
        return morsel and morsel.value

    def answer(self, response):
        status, body, headers = response
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        kind = "text/html; charset=utf-8" if isinstance(body, str) else "application/json"
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Cache-Control": "no-store",
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class DemoProvider:
    """As a context manager, it serves on a port of the loopback; 0 takes a free one."""

    def __init__(self, port=0, secret=None):
        self.server = ThreadingHTTPServer(("127.0.0.1", port), ProviderHandler)
        self.server.daemon_threads, self.server.provider = True, self
        # For a browser another site than 127.0.0.1, as a real provider is.
        self.url = f"http://localhost:{self.server.server_port}"
        self.secret = secret or token_urlsafe(32)
        self.people = json.loads(json.dumps(PEOPLE))
        self.codes = {}
        self.rotate()

    def __enter__(self):
        Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def rotate(self):
        """Sign with a new key from now on, and withdraw the old one."""
        self.key, self.key_id = ec.generate_private_key(ec.SECP256R1()), token_urlsafe(6)

    def environment(self):
        """The variables of a marketplace that uses this provider."""
        return {
            "OIDC_ISSUER": self.url,
            "OIDC_CLIENT_ID": CLIENT_ID,
            "OIDC_CLIENT_SECRET": self.secret,
            "OIDC_GROUPS": GROUPS,
        }

    def get(self, path, query, person):
        documents = {"/.well-known/openid-configuration": self.discovery, "/keys": self.keys}
        if path in documents:
            return 200, documents[path](), {}
        if path == "/sign-out":
            return 200, self.page({}, None), cookie("", age=0)
        if path != "/authorize" or query.get("client_id") != CLIENT_ID:
            return 404, self.page({}, person), {}
        return self.authorize(query, person)

    def discovery(self):
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "authorization_response_iss_parameter_supported": True,
            "code_challenge_methods_supported": ["S256"],
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
        }

    def keys(self):
        key = ECAlgorithm(ECAlgorithm.SHA256).to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [key | {"kid": self.key_id, "alg": "ES256", "use": "sig"}]}

    def authorize(self, query, person):
        """Ask who it is; with a person, or one who is signed in already, lead back with a code."""
        person = query.get("person", person)
        back = {"state": query.get("state", ""), "iss": self.url}
        if person not in self.people:
            if query.get("prompt") != "none":
                return 200, self.page(query, person), {}
            back["error"] = "login_required"
            return 302, "", {"Location": f"{query['redirect_uri']}?{urlencode(back)}"}
        code = token_urlsafe(24)
        self.codes[code] = query | {"person": person}
        location = f"{query['redirect_uri']}?{urlencode(back | {'code': code})}"
        return 302, "", {"Location": location, **cookie(person)}

    def page(self, query, person):
        links = [
            f'<li><a href="/authorize?{escape(urlencode(query | {"person": key}))}">'
            f"{escape(person['name'])}</a>: {escape(', '.join(person['groups']))}</li>"
            for key, person in self.people.items()
            if query
        ]
        out = '<p><a href="/sign-out">Sign out here</a></p>' if person else ""
        return PAGE.format(links="".join(links), out=out)

    def exchange(self, form, authorization):
        """The tokens for a code, which works once, for its client and with its verifier."""
        if not self.is_client(form, authorization):
            return 401, {"error": "invalid_client"}, {}
        granted = self.codes.pop(form.get("code"), None)
        challenge = urlsafe_b64encode(sha256(form.get("code_verifier", "").encode()).digest())
        if (
            granted is None
            or granted["redirect_uri"] != form.get("redirect_uri")
            or granted.get("code_challenge_method") != "S256"
            or granted["code_challenge"] != challenge.rstrip(b"=").decode()
        ):
            return 400, {"error": "invalid_grant"}, {}
        token = self.sign(self.claims(granted))
        tokens = {"access_token": token_urlsafe(24), "token_type": "Bearer"}  # nosec B105
        return 200, tokens | {"id_token": token}, {}

    def is_client(self, form, authorization):
        sent = form.get("client_id"), form.get("client_secret")
        if authorization.startswith("Basic "):
            name, _, secret = (
                b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
            )
            sent = unquote(name), unquote(secret)
        return sent == (CLIENT_ID, self.secret)

    def claims(self, granted):
        now, person = int(time.time()), self.people[granted["person"]]
        return {
            "iss": self.url,
            "aud": CLIENT_ID,
            "sub": granted["person"],
            "iat": now,
            "exp": now + LIFETIME,
            "nonce": granted["nonce"],
            **person,
        }

    def sign(self, claims):
        return jwt.encode(claims, self.key, "ES256", {"kid": self.key_id})


def cookie(person, age=3600):
    return {"Set-Cookie": f"demo-provider={person}; Max-Age={age}; HttpOnly; SameSite=Lax; Path=/"}
