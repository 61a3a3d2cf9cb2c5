"""Personas as prompts: those of the agent first, and then the free ones (contract 34.41).

Reading one counts no install.
"""

import re

from rest_framework.exceptions import NotAuthenticated

from catalogue.exceptions import PersonaNotFound, VersionNotFound
from installs import reads
from installs.exceptions import PersonaRequiresPayment
from interfaces.mcp.authentication import authenticate
from interfaces.mcp.protocol import INVALID_PARAMS, MCPError, argument
from interfaces.mcp.skills import PAGE, check_reader, scope_of
from marketplace import access
from marketplace.api.exceptions import AuthenticationRequired, InsufficientScope, InvalidCursor
from marketplace.api.list_queries import ListQuery
from marketplace.api.scopes import Scope, allows, check_scope
from search.list_queries import PersonaQuery


class PromptQuery(ListQuery):
    cursor_name = "Prompts"
    default_sort = PersonaQuery.default_sort
    sorts = {default_sort: PersonaQuery.sorts[default_sort]}


@access.for_readers
def list_prompts(request, params):
    cursor = argument(params, "cursor", str | None)
    rows, more = [], {}
    if access.is_public() or has_credentials(request):
        rows, more = page(reader(request), "0" if cursor is None else cursor)
    prompts = [
        {"name": row.slug, "title": row.title, "description": row.description} for row in rows
    ]
    return {"prompts": prompts, **more, **scope_of(request)}


@access.for_readers
def get_prompt(request, params):
    slug = argument(params, "name", str)
    check_reader(request)
    try:
        prompt = reads.prompt(agent_of(request), slug)
    except (PersonaNotFound, PersonaRequiresPayment, VersionNotFound) as error:
        raise MCPError(INVALID_PARAMS, str(error.detail)) from error
    content = {"type": "text", "text": prompt.content}
    return {
        "description": prompt.description,
        "messages": [{"role": "user", "content": content}],
        **scope_of(request),
    }


def has_credentials(request):
    return "HTTP_AUTHORIZATION" in request.META


def reader(request):
    """The agent whose list this is; None without a token.

    Raises MCPError with the API's sentence for other credentials, and for a missing scope: a client
    would take the public list for the agent's.
    """
    if not has_credentials(request):
        return None
    authenticate(request)
    try:
        check_scope(request.auth, Scope.READ)
    except NotAuthenticated as error:
        raise MCPError(INVALID_PARAMS, AuthenticationRequired.default_detail) from error
    except InsufficientScope as error:
        raise MCPError(INVALID_PARAMS, str(error.detail)) from error
    return request.auth.agent_id


def agent_of(request):
    """The agent that has pinned its versions, or None if the token may not read them."""
    authenticate(request)
    token = request.auth
    return token.agent_id if token and allows(token.scopes, Scope.READ) else None


def page(agent, cursor):
    """The rows of a page, and where the next one starts.

    A cursor is the number of the agent's own prompts before the page, or that of a keyset list.
    """
    if not re.fullmatch("[0-9]{1,9}", cursor):
        return offered(agent, PAGE, cursor=[cursor])
    start = int(cursor)
    own = reads.own_prompts(agent) if agent else []
    rows = own[start : start + PAGE]
    if start + PAGE <= len(own):
        return rows, {"nextCursor": str(start + PAGE)}
    others, more = offered(agent, PAGE - len(rows))
    return rows + others, more


def offered(agent, number, **params):
    """The same of the free personas that the agent does not have, at most this number."""
    try:
        query = PromptQuery({"limit": [str(number)], **params}, agent=agent)
    except InvalidCursor as error:
        raise MCPError(INVALID_PARAMS, InvalidCursor.default_detail) from error
    free = reads.offered_personas.page(query)
    return free.results, {"nextCursor": free.next_cursor} if free.has_next else {}
