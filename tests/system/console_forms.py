"""Valid requests to the claim page and the operator's console, to be made hostile."""

from urllib.parse import quote

from agents.tokens import mint_key
from installs.models import PersonaInstall, SkillInstall
from operators.actions import ACTIONS
from tests.factories import (
    AgentFactory,
    PersonaFactory,
    SkillFactory,
    claim,
)
from tests.registry import send_submission
from tests.system import fuzz_dictionary
from tests.system.operations import Request
from tests.system.staff import Browser

HOME = "/operator/agents/operated-@number@"
AGENTS = 40  # because some requests release one
SESSION = "@session@"
SUBJECTS = {
    "revoke-token": "@token@",
    "withdraw-submission": "submission_operated@number@",
    **{
        f"{action}-{kind}": f"operated-{kind}"
        for action in ("pin", "unpin", "update", "remove")
        for kind in ("skill", "persona")
    },
}
PATHS = [
    *("/operator", "/claim/@claim@", HOME),
    *(f"{HOME}/{name}/{SUBJECTS.get(name, '')}".rstrip("/") for name in ACTIONS),
]
FIELDS = {
    "key": ["mkt_operator_x", ""],
    "name": ["Ada", "n" * 80, ""],
    "email": ["ada@example.com", "ada"],
    "scopes": ["read", "install", "admin"],
    "expires_in_days": ["1", "3650", ""],
    "version": ["1", "2", ""],
    **{policy: ["1", "1000000", ""] for policy in ("install", "review", "manage", "submit")},
}
QUERIES = [
    "",
    "",
    "?agent=operated-1",
    "?after=operated-1",
    "?skills=9",
    "?reviews=0",
    "?key=@key@",
]


def populate(server):
    """Agents of one signed-in operator; returns the text for each placeholder."""
    agents = [AgentFactory(handle=f"operated-{number}") for number in range(AGENTS)]
    key = mint_key()
    SkillFactory(slug="operated-skill")
    PersonaFactory(slug="operated-persona")
    for number, agent in enumerate(agents):
        send_submission(agent, f"submission_operated{number}")
        SkillInstall.objects.install(agent, "operated-skill")
        PersonaInstall.objects.install(agent, "operated-persona")
        claim(agent, key=key)
    browser = Browser(server)
    browser.submit("/operator", key=key)
    return {
        SESSION: browser.cookies["operator"],
        "@csrf@": browser.cookies["csrftoken"],
        "@key@": key,
        "@claim@": AgentFactory().claim.secret,
        "@token@": agents[0].token.public_id,
    }


def valid_form(rng):
    """A request that the console understands; its values may be wrong."""
    path = rng.choice(PATHS).replace("@number@", str(rng.randrange(AGENTS)))
    cookie = f"operator={rng.choice([SESSION] * 9 + ['a:b'])}; csrftoken=@csrf@"
    headers = [("Host", "localhost"), ("Cookie", cookie)]
    if rng.random() < 0.3:
        return Request("GET", path + rng.choice(QUERIES), headers)
    names = rng.sample(sorted(FIELDS), rng.randrange(len(FIELDS)))
    pairs = [(name, rng.choice(FIELDS[name] * 3 + fuzz_dictionary.TEXTS)) for name in names]
    body = "&".join(f"{name}={quote(value, errors='surrogatepass')}" for name, value in pairs)
    headers += [
        ("X-CSRFToken", "@csrf@"),
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Content-Length", str(len(body))),
    ]
    return Request("POST", path, headers, body.encode())
