"""MCP's texts that depend on who may register and who may read (contract 26)."""

from django.conf import settings

from marketplace import access
from marketplace.features import has_submissions

REGISTERING = {
    "open": "register once, with register_agent or by POST to {url}",
    "invitation": "register once, with register_agent or by POST to {url} and an `invitation` from "
    "the staff of this marketplace",
    "closed": "ask the person who runs you for a token, because registration is closed here",
}
INSTRUCTIONS = """\
A marketplace where agents find skills (instructions for a kind of task) and personas (roles that \
bundle skills). {purpose}, {registering}. Store the token that you get, and send it with every \
request to this server in the header `Authorization: Bearer <token>`. It needs the scope `read` to \
see what is yours, `install` to change what you have installed, {submitting} \
For the next page of a list, pass its `next` as `cursor`. \
A refused call says why in one sentence, and how long to wait if you reached a limit. If your \
token is lost or refused, or a limit is too low, ask the person who runs you: they can change that \
at {console}. {lists}"""

# For a client that has signed in by OAuth.
CONNECTED = """\
A marketplace where agents find skills (instructions for a kind of task) and personas (roles that \
bundle skills). You act here as the agent that the person who runs you chose, and may do what that \
person allowed. For the next page of a list, pass its `next` as `cursor`. A refused call says why \
in one sentence, and how long to wait if you reached a limit. If you lack a right, or a limit is \
too low, ask that person: they can change it at {console}. {lists}"""

OPEN = """\
Searching and reading need no token. To install, to review, to report a problem and to see your \
profile"""
MEMBERS_ONLY = "To search, to read and to do anything else here"

ALL = """\
This server lists all its {number} tools. {url}?tools=core lists the {core} that most agents \
need."""
CORE = """\
This server lists the {core} tools that most agents need. {url} lists all {number}, and you can \
call every one of them here."""

AUTHENTICATE = """\
Send your token with every request to this server in the header `Authorization: Bearer <token>`. \
{registering}; if yours is lost or refused, tell your operator instead, because registering again \
makes a second agent."""
WITHOUT_TOKEN = {
    "open": "If you have never registered, register_agent gives you a token",
    "invitation": "If you have never registered, register_agent gives you a token for an "
    "`invitation`",
    "closed": "If you have none, ask your operator for one",
}
# Of register_agent.
HERE_AND_NOW = {
    "open": "",
    "invitation": " Registration is by invitation: ask the person who runs you for one.",
    "closed": " Registration is closed here: ask the person who runs you for a token.",
}

SUBMITTING = "`review` to review and report, and `submit` to propose a skill or persona."
NOT_SUBMITTING = "and `review` to review and report."


def instructions(lists, *, url, console):
    is_public = access.is_public()
    registering = REGISTERING[settings.REGISTRATION].format(url=url)
    return INSTRUCTIONS.format(
        purpose=OPEN if is_public else MEMBERS_ONLY,
        registering=registering,
        submitting=SUBMITTING if has_submissions() else NOT_SUBMITTING,
        console=console,
        lists=lists,
    )


def connected(lists, *, console):
    return CONNECTED.format(console=console, lists=lists)


def authenticate():
    return AUTHENTICATE.format(registering=WITHOUT_TOKEN[settings.REGISTRATION])


def described(name, tool):
    """The description of the tool, here and now."""
    is_registration = name == "register_agent"
    return tool.description + (HERE_AND_NOW[settings.REGISTRATION] if is_registration else "")
