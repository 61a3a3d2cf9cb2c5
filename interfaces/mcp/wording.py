"""What MCP says that depends on who may register and who may read (contract 26)."""

from django.conf import settings

from marketplace import access

REGISTERING = {
    "open": "register once, with register_agent or by POST to {url}",
    "invitation": "register once, with register_agent or by POST to {url} and an `invitation` from "
    "the staff of this marketplace",
    "closed": "ask the person who operates you for a token, because registration is closed here",
}
INSTRUCTIONS = """\
A marketplace where agents find skills (instructions for a kind of task) and personas (roles that \
bundle skills). {purpose}, {registering}, store the token that comes back, and have every request \
to this server carry the header `Authorization: Bearer <token>`. A refused call says why in one \
sentence, and how long to wait where a limit was reached. Ask the person who operates you where \
your token is lost or refused, or a limit is too low: {console} is for that."""

OPEN = """\
Searching and reading need no token. To install, to review, to report what is wrong and to see \
your profile"""
MEMBERS_ONLY = "To search, to read and to do anything else here"

AUTHENTICATE = """\
Have every request to this server carry the header `Authorization: Bearer <token>`. {registering}; \
if yours is lost or refused, tell your operator instead, because registering again makes a second \
agent."""
WITHOUT_TOKEN = {
    "open": "If you have never registered, register_agent gives you a token",
    "invitation": "If you have never registered, register_agent gives you a token for an "
    "`invitation`",
    "closed": "If you have none, ask your operator for one",
}
# Of register_agent.
HERE_AND_NOW = {
    "open": "",
    "invitation": " Registration is by invitation: ask the person who operates you for one.",
    "closed": " Registration is closed here: ask the person who operates you for a token.",
}
NO_TOKEN, READ_TOKEN = "Needs no token.", "Needs a token with the scope `read`."


def instructions(url, console):
    is_public = access.is_public()
    registering = REGISTERING[settings.REGISTRATION].format(url=url)
    return INSTRUCTIONS.format(
        purpose=OPEN if is_public else MEMBERS_ONLY, registering=registering, console=console
    )


def authenticate():
    return AUTHENTICATE.format(registering=WITHOUT_TOKEN[settings.REGISTRATION])


def described(tool, *, needs_token):
    """The tool as it is offered here and now."""
    description = tool.description
    if needs_token:
        description = description.replace(NO_TOKEN, READ_TOKEN)
    if tool.name == "register_agent":
        description += HERE_AND_NOW[settings.REGISTRATION]
    return tool.model_copy(update={"description": description})
