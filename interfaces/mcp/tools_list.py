"""The lists of the tools: what `tools/list` responds with."""

from dataclasses import replace

from interfaces.mcp import wording
from interfaces.mcp.authentication import is_connector
from interfaces.mcp.tools import agents, catalogue, installs, reviews, submissions
from marketplace import access
from marketplace.features import has_submissions

TOOLS = {
    name: replace(tool, operation_id=tool.operation_id or name)
    for part in (catalogue, agents, installs, reviews, submissions)
    for name, tool in part.TOOLS.items()
}
# What most agents need, listed at /mcp?tools=core (contract 22.19).
CORE = (
    *("search_skills", "get_skill", "get_skill_file", "search_personas", "get_persona"),
    *("register_agent", "install_skill", "install_persona", "my_manifest", "report"),
)


# A connection may not do these (contract 35.9), as agents/permissions.py has it.
OF_OWN_TOKENS = (
    *("register_agent", "confirm_claim", "create_token", "rotate_token", "revoke_token"),
)


def tools_here(request):
    """The tools of this marketplace at the address of a request, by name."""
    absent = [*(() if has_submissions() else submissions.TOOLS)]
    absent += OF_OWN_TOKENS if is_connector(request) else ()
    return {name: tool for name, tool in TOOLS.items() if name not in absent}


@access.for_everyone
def list_tools(request, _params):
    tools = tools_here(request)
    names = CORE if lists_core(request) else tools
    tools = [offered(name, tool) for name, tool in tools.items() if name in names]
    return {"tools": tools, "ttlMs": 60 * 60 * 1000, "cacheScope": "public"}


def offered(name, tool):
    return {
        "name": name,
        "title": tool.title,
        "description": wording.described(name, tool),
        "inputSchema": tool.schema,
        # Clients use these to decide whether to ask a person first.
        "annotations": {"readOnlyHint": True}
        if tool.operation.reads
        else {"destructiveHint": tool.is_destructive},
    }


def lists_core(request):
    """Whether the request is to /mcp?tools=core, which the view has checked."""
    return "tools" in request.GET


def lists(request, url):
    """What the handshake says about this list and the other one."""
    text = wording.CORE if lists_core(request) else wording.ALL
    tools = tools_here(request)
    core = sum(name in tools for name in CORE)
    return text.format(url=url, number=len(tools), core=core)
