"""Keys and tokens of well-known services, by the prefixes and shapes that the services publish."""

import base64
import json
import re
from collections.abc import Callable
from typing import NamedTuple

from catalogue.disguises import runs_of
from marketplace.secrets import KINDS, TOKEN

SHOWN = 4  # characters of a secret that a finding shows
KEY_BODY = 400  # characters after the first line of a private key


def starts(prefix):
    """A pattern of a prefix that is not inside of a word, but maybe after the \\n of a JSON string.

    The prefix comes first, so that the search for it is fast.
    """
    return rf"{prefix}(?:(?<![0-9A-Za-z_-]{prefix})|(?<=\\[nrt]{prefix}))"


# Examples from the services' own documentation. AWS ends each example in EXAMPLE.
EXAMPLES = {
    # https://docs.stripe.com/api/authentication, and what it showed before
    "sk_test_4eC39HqLyj" + "WDarjtT1zdp7dc",
    "sk_test_BQokikJOvB" + "iI2HlWgH4olfQ2",
    "sk_test_tR3PYbcVNZ" + "Z796tH88S4VQ2u",
    # https://learn.microsoft.com/purview/sit-defn-github-personal-access-token
    "ghp_abcdefghijklmn" + "opqrstuvwxyzABCD012345",
    # The payloads of https://jwt.io, with and without admin, and of RFC 7519
    "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ",
    "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWUsImlhdCI6MTUxNjIzOTAyMn0",
    "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWV9",
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
}
PLACEHOLDER = re.compile(
    r"(?i)([x0*.])\1{7}|your|example|placeholder|redacted|dummy|insert|replace|token_here|key_here"
)
PLACEHOLDER_PASSWORD = re.compile(
    r"[A-Z_-]+|[$*{\[%.…].*|.*\.\.\.|(?i:x+|(?:my|your|the|db|some|user)?[_-]?"
    r"(?:pass|passwd|password|pwd|pw|secret|token|key|credentials?|changeme|change-me))"
)


def is_real(match):
    return match[0] not in EXAMPLES and PLACEHOLDER.search(match[0]) is None


def is_random(match):
    """Whether it is no phrase with hyphens."""
    letters = match[0]
    has_both = re.search(r"[A-Z]", letters) and re.search(r"[0-9]", letters)
    return is_real(match) and bool(has_both or re.search(r"[0-9A-Za-z]{20}", letters))


def is_jwt(match):
    """Whether all three parts decode (RFC 7519)."""
    header, payload, signature = match[0].split(".")
    try:
        return (
            payload not in EXAMPLES
            and "alg" in json.loads(decoded(header))
            and isinstance(json.loads(decoded(payload)), dict)
            and len(decoded(signature)) > 0
        )
    except (ValueError, TypeError, RecursionError):
        return False


def decoded(part):
    return base64.b64decode(part + "=" * (-len(part) % 4), altchars="-_", validate=True)


def has_key_body(match):
    """Whether base64 follows, rather than three dots or a word for the key."""
    after = match.string[match.end() : match.end() + KEY_BODY].partition("-----")[0]
    body = re.search(r"[0-9A-Za-z+/]{16,}={0,2}(?![0-9A-Za-z+/=]|\.\.\.|…)", after)
    return body is not None and PLACEHOLDER.search(body[0]) is None


def has_real_password(match):
    return match["password"] != match["user"] and not (
        PLACEHOLDER_PASSWORD.fullmatch(match["password"]) or PLACEHOLDER.search(match["password"])
    )


MAX_SCHEME = 20  # characters
SCHEME = re.compile(r"(?<!\\)[A-Za-z][A-Za-z0-9+.-]*\Z")


class Shape(NamedTuple):
    """Every such secret has one of the `prefixes`; `in_word` says that it is in a long word."""

    kind: str
    prefixes: tuple
    pattern: re.Pattern
    is_secret: Callable = is_real
    in_word: bool = True


SHAPES = [
    # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-prefixes
    Shape(
        "AWS access key",
        ("AKIA", "ASIA", "ABIA"),
        re.compile(r"A(?<![0-9A-Z]A)(?:KI|SI|BI)A[0-9A-Z]{16}(?![0-9A-Z])"),
    ),
    # https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/
    Shape(
        "GitHub token",
        ("gho_", "ghp_", "ghu_", "ghs_", "ghr_"),
        re.compile(rf"{starts('gh')}[opusr]_[0-9A-Za-z_]{{36,251}}"),
    ),
    # https://github.blog/changelog/2022-10-18-introducing-fine-grained-personal-access-tokens/
    Shape("GitHub token", ("github_pat_",), re.compile(r"github_pat_[0-9A-Za-z_]{50,244}")),
    # https://docs.gitlab.com/security/tokens/#token-prefixes
    Shape(
        "GitLab token",
        ("gl",),
        re.compile(
            rf"{starts('gl')}(?:pat|dt|rt|ptt|cbt|soat|oas|imt|agent)-(?=[\w.-]*[0-9])[\w-]{{20,300}}"
        ),
    ),
    # https://docs.slack.dev/authentication/tokens
    Shape(
        "Slack token",
        ("xox", "xapp-"),
        re.compile(
            rf"{starts('x')}(?:ox[a-z](?:\.xox[a-z])?|app)-[0-9]{{1,20}}-[0-9A-Za-z-]{{10,300}}"
        ),
    ),
    # https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
    Shape(
        "Slack webhook",
        ("hooks.slack.com/services/",),
        re.compile(
            r"hooks\.slack\.com/services/T[0-9A-Z]{6,20}/B[0-9A-Z]{6,20}/[0-9A-Za-z]{20,30}"
        ),
    ),
    # https://docs.cloud.google.com/docs/authentication/api-keys and .../oauth2
    Shape("Google API key", ("AIza",), re.compile(r"AIza[\w-]{35}")),
    Shape("Google client secret", ("GOCSPX-",), re.compile(r"GOCSPX-[\w-]{28}")),
    # https://platform.openai.com/docs/api-reference/authentication
    Shape(
        "OpenAI key",
        ("sk-",),
        re.compile(rf"{starts('sk-')}(?!ant-)(?:proj-|svcacct-|admin-)?[\w-]{{32,300}}"),
        is_random,
    ),
    # https://platform.claude.com/docs/en/api/overview and .../admin-api
    Shape(
        "Anthropic key",
        ("sk-ant-",),
        re.compile(r"sk-ant-[a-z]{2,8}[0-9]{2}-[\w-]{24,300}"),
    ),
    # https://huggingface.co/docs/hub/security-tokens
    Shape("Hugging Face token", ("hf_",), re.compile(rf"{starts('hf_')}[0-9A-Za-z]{{34,100}}")),
    # https://github.blog/2021-09-23-announcing-npms-new-access-token-format/
    Shape("npm token", ("npm_",), re.compile(rf"{starts('npm_')}[0-9A-Za-z]{{36,100}}")),
    # https://pypi.org/help/#apitoken: a macaroon, whose first bytes are always the same
    Shape("PyPI token", ("pypi-AgE",), re.compile(r"pypi-AgE[\w-]{50,300}")),
    # https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
    Shape("SendGrid key", ("SG.",), re.compile(rf"{starts('SG')}\.[\w-]{{22}}\.[\w-]{{43}}")),
    # https://docs.stripe.com/keys and https://docs.stripe.com/webhooks
    Shape(
        "Stripe key",
        ("k_live_", "k_test_"),
        re.compile(rf"{starts('[rs]k_')}(?:live|test)_[0-9A-Za-z]{{16,240}}"),
    ),
    Shape("Stripe webhook secret", ("whsec_",), re.compile(r"whsec_[0-9A-Za-z+/]{32,100}")),
    # RFC 7519
    Shape(
        "JSON Web Token",
        ("eyJ",),
        re.compile(rf"{starts('eyJ')}[\w-]{{8,16000}}\.eyJ[\w-]{{8,16000}}\.[\w-]{{16,4000}}"),
        is_jwt,
    ),
    # RFC 7468, RFC 4880 and OpenSSH's PROTOCOL.key
    Shape(
        "private key",
        ("PRIVATE KEY",),
        re.compile(r"-----BEGIN (?:[0-9A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----"),
        has_key_body,
        in_word=False,
    ),
    # RFC 3986, section 3.2.1. The scheme before it may be any.
    Shape(
        "URL with a password",
        ("://",),
        re.compile(
            r"://(?P<user>[^\s:/?#@\"'`<>|]{0,100}):(?P<password>[^\s/?#@\"'`<>|]{3,200})"
            r"@(?!sha256:)[\w\[]"
        ),
        has_real_password,
        in_word=False,
    ),
    Shape("token of this marketplace", KINDS, TOKEN),
]


PREFIXES = [(prefix.encode(), shape) for shape in SHAPES for prefix in shape.prefixes]
# The characters of a word become one byte, and those beyond ASCII several.
AS_WORDS = bytes(ord("a") * (chr(code).isalnum() or code in b"_-+/.") for code in range(128))
AS_WORDS += b"a" * 128
LONG_WORD = b"a" * 16


def secrets_in(text):
    """`[(position, what)]` of each secret, in their order; `what` never shows more than its start.

    It takes linear time, because each pattern starts with a prefix, and its length is bounded.
    Most texts have few long words, and none with a prefix.
    """
    data = text.encode(errors="surrogatepass")
    places = runs_of(data.translate(AS_WORDS), LONG_WORD)
    words = b" ".join(data[start:end] for start, end in places)
    shapes = [shape for prefix, shape in PREFIXES if prefix in (words if shape.in_word else data)]
    return sorted(
        (match.start(), f"{shape.kind}, {shown(match)}…")
        for shape in dict.fromkeys(shapes)
        for match in shape.pattern.finditer(text)
        if shape.is_secret(match)
    )


def shown(match):
    """The start of a secret; a URL starts with its scheme, and the password comes later."""
    before = SCHEME.search(match.string, max(0, match.start() - MAX_SCHEME), match.start())
    start = before.start() if before and match[0].startswith("://") else match.start()
    return match.string[start : start + SHOWN]
