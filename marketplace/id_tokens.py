"""ID tokens: JWTs in which an issuer says whose they are (contract 31.6, 32.6)."""

import re
from base64 import urlsafe_b64decode
from hashlib import sha256

import jwt

from marketplace.api.exceptions import BadRequest
from marketplace.api.parsers import parsed

# What each algorithm needs of a key.
ALGORITHMS = {
    "RS256": {"kty": "RSA"},
    "ES256": {"kty": "EC", "crv": "P-256"},
    "EdDSA": {"kty": "OKP", "crv": "Ed25519"},
}
MAX_LENGTH = 16 * 1024  # characters
LEEWAY = 30  # seconds by which clocks may differ
MAX_TIME = 2**40  # far beyond any date
PATTERN = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+")
OPTIONS = {
    "require": ["exp", "iat"],
    # Whoever accepts the token compares its audience, and its other claims.
    "verify_aud": False,
    "enforce_minimum_key_length": True,
}


class IdTokenRefused(Exception):
    """The `reason` why a token is not accepted, for the log."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class IdToken:
    """A JWT. Anybody may have written its claims until `verify`. Raises IdTokenRefused."""

    max_lifetime = 3600  # seconds
    must_name_key = True

    def __init__(self, text):
        if len(text) > MAX_LENGTH:
            raise IdTokenRefused(f"it has {len(text):,} characters, of at most {MAX_LENGTH:,}")
        match = PATTERN.fullmatch(text)
        if match is None:
            raise IdTokenRefused("it is not a JWT")
        self.text, self.signed = text, text.rpartition(".")[0]
        header, self.claims = map(part_of, match.groups())
        self.algorithm, self.key_id = header.get("alg"), header.get("kid")
        if self.algorithm not in list(ALGORITHMS):
            raise IdTokenRefused("its algorithm is not allowed")
        if not isinstance(self.key_id, str) and (self.must_name_key or self.key_id is not None):
            raise IdTokenRefused("it names no key")
        if "crit" in header:
            raise IdTokenRefused("its header has critical extensions")
        self.check_types()

    def check_types(self):
        """Refuse claims of other types than the standard's: parsers read them in different ways."""
        times = [self.claims.get("exp"), self.claims.get("iat"), self.claims.get("nbf", 0)]
        if not all(type(value) in {int, float} and 0 <= value < MAX_TIME for value in times):
            raise IdTokenRefused("exp, iat or nbf is missing or not a time")
        if not 0 < self.claims["exp"] - self.claims["iat"] <= self.max_lifetime:
            raise IdTokenRefused("it is valid for too long")
        if self.claims.get("jti", "present") == "":
            raise IdTokenRefused("its jti is empty")
        texts = [self.claims.get(name) for name in ("iss", "sub", "jti") if name in self.claims]
        if "iss" not in self.claims or not all(isinstance(text, str) for text in texts):
            raise IdTokenRefused("iss, sub or jti is not a text")

    @property
    def issuer(self):
        return self.claims["iss"]

    @property
    def audience(self):
        """The one audience; None if there are several, because each of them could use the token."""
        audience = self.claims.get("aud")
        if isinstance(audience, list) and len(audience) == 1:
            [audience] = audience
        return audience if isinstance(audience, str) else None

    @property
    def expires_at(self):
        """The time from which it is refused, in seconds."""
        return self.claims["exp"] + LEEWAY

    @property
    def digest(self):
        """Identifies it. It leaves out the signature, which has several spellings."""
        name = f"jti {self.claims['jti']}" if "jti" in self.claims else f"signed {self.signed}"
        return sha256(f"{self.issuer} {name}".encode()).hexdigest()

    def verify(self, key):
        """Check its signature by a public key, a JWK, and its times. Raises IdTokenRefused."""
        try:
            jwt.decode(
                self.text,
                jwt.PyJWK(key, self.algorithm),
                algorithms=[self.algorithm],
                issuer=self.issuer,
                leeway=LEEWAY,
                options=OPTIONS,
            )
        except jwt.PyJWTError as error:
            raise IdTokenRefused(f"{type(error).__name__}: {error}") from error


def part_of(segment):
    """The JSON object in a segment. Duplicate keys are refused: parsers differ about them."""
    try:
        part = parsed(urlsafe_b64decode(segment + "=" * (-len(segment) % 4)))
    except (BadRequest, ValueError) as error:
        raise IdTokenRefused("it is not a JWT") from error
    if not isinstance(part, dict):
        raise IdTokenRefused("it is not a JWT")
    return part
