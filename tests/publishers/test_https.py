"""An issuer over https: its certificate is checked, and a private authority can be named."""

import ssl
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization

from tests.deployment.conftest import lines  # noqa: F401
from tests.publishers.issuer import LoopbackIssuer, private_key


def certificate_of(name):
    key, now = private_key("ES256", 3), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    builder = x509.CertificateBuilder(subject, subject, key.public_key(), 1)
    builder = builder.not_valid_before(now - timedelta(days=1))
    builder = builder.not_valid_after(now + timedelta(days=1))
    names = x509.SubjectAlternativeName([x509.DNSName(name)])
    signed = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return signed.public_bytes(serialization.Encoding.PEM) + private


@pytest.fixture
def https_issuer(tmp_path):
    """An issuer on https://localhost with a certificate for a name, and the certificate's file."""
    issuers = []

    def https_issuer(name):
        file = tmp_path / f"{name}.pem"
        file.write_bytes(certificate_of(name))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        issuer = LoopbackIssuer(host="localhost", context=context)
        issuers.append(issuer)
        return issuer, file

    yield https_issuer
    for issuer in issuers:
        issuer.close()


@pytest.mark.contract("31.9")
@pytest.mark.parametrize(
    ("name", "is_known", "status"),
    [("localhost", True, 201), ("localhost", False, 503), ("evil.example", True, 503)],
)
def test_its_certificate_is_checked(
    https_issuer, exchange, agent, monkeypatch, name, is_known, status
):
    issuer, file = https_issuer(name)
    issuer.publisher(agent)
    if is_known:
        monkeypatch.setenv("SSL_CERT_FILE", str(file))

    assert exchange(issuer.token()).status_code == status
    assert bool(issuer.fetched) == (status == 201)


def test_doctor_says_how_to_trust_the_authority_of_a_provider(
    https_issuer,
    settings,
    lines,  # noqa: F811
    monkeypatch,
):
    issuer, file = https_issuer("localhost")
    settings.OIDC_ISSUER = issuer.url
    [line] = lines("sign-in")
    assert line.startswith(f"{issuer.url} cannot be used: SSLCertVerificationError: ")
    assert line.endswith("If you signed the certificate yourself, set SSL_CERT_FILE to it.")

    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    assert lines("sign-in") == [f"{issuer.url} answers."]
