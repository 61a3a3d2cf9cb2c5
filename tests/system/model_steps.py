"""Strategies for the next step of the model test, given the state of the model."""

from hypothesis import strategies as st

from tests.system.model_agents import SCOPES, Token
from tests.system.model_data import (
    BODIES,
    FILTERS,
    REFUSED,
    REFUSED_QUERIES,
    SLUGS,
    SORTS,
    UNKNOWN,
)

MAX_AGENTS = 4
MAX_TOKENS = 3  # usable ones of one agent
MAX_HIDDEN = 2  # entries of a kind, so that enough is left to install
UNKNOWN_TOKEN = Token("mkt_agent_" + "0" * 38, is_usable=False)
OPERATIONS = [
    *(*["install_persona"] * 6, *["install_skill"] * 4, *["review"] * 6),
    *("register", "update_me", "update_me", "refused", "refused", "refused"),
]
KINDS = st.sampled_from(["skills", "personas"])


@st.composite
def steps(draw):
    """The name of a step and its arguments, such as `("suspend", agent)`."""
    model = draw(st.runner()).model
    kind = draw(st.sampled_from(["request"] * 10 + ["paginate"] * 3 + ["edit"] * 3 + ["staff"] * 3))
    drawn = {"request": requests, "paginate": queries, "edit": edits, "staff": staff_steps}[kind]
    return (kind, *draw(drawn(model)))[kind == "staff" :]


@st.composite
def requests(draw, model):
    """An operation, a body for it and the token to send with it."""
    operation, token = draw(st.sampled_from(OPERATIONS)), draw(callers(model))
    if operation == "refused":
        operation = draw(st.sampled_from(sorted(REFUSED)))
        return operation, draw(st.sampled_from(REFUSED[operation])), token
    body = draw(BODIES[operation])
    agent = token and token.agent
    personas = model.entries["personas"]
    if operation == "install_skill":
        body["slug"] = draw(slugs("skills", model.entries["skills"]))
    if operation == "install_persona":
        new = [persona for persona in personas if agent not in persona.installed_by]
        free = [persona for persona in new if not persona.price_cents and persona.is_published]
        body["slug"] = draw(slugs("personas", free * 4))
    if operation == "review":
        own = [persona for persona in personas if agent in persona.installed_by]
        reviewed = [persona for persona in own if agent in persona.ratings]
        body["personaSlug"] = draw(slugs("personas", own * 3 + reviewed * 3))
    if operation == "register" and (len(model.agents) == MAX_AGENTS or draw(st.booleans())):
        body = {**(body or {}), "handle": draw(st.sampled_from(sorted(model.handles)))}
    return operation, body, token


def slugs(kind, preferred):
    return st.sampled_from([*(entry.slug for entry in preferred), *SLUGS[kind], UNKNOWN])


@st.composite
def callers(draw, model):
    """A token, mostly one that may do everything; or none."""
    full = [token for token in model.tokens if all(token.may(scope) for scope in SCOPES)]
    others = [token for token in model.tokens if token not in full]
    return draw(st.sampled_from([*full * 4, *others * 2, UNKNOWN_TOKEN, None]))


@st.composite
def queries(draw, _model):
    """A kind and the parameters to list it with, one in five of them refused."""
    if not draw(st.integers(0, 4)):
        return draw(st.sampled_from(REFUSED_QUERIES))
    kind = draw(KINDS)
    values = FILTERS[kind]
    names = draw(st.lists(st.sampled_from(sorted(values)), max_size=2, unique=True))
    query = {name: draw(st.sampled_from(values[name])) for name in names}
    # The contract leaves the ranking open, so a search is sorted otherwise.
    if "q" in query or draw(st.booleans()):
        query["sort"] = draw(st.sampled_from(SORTS[kind]))
    if draw(st.booleans()):
        query["limit"] = draw(st.sampled_from(["1", "2", "3"]))
    return kind, query


@st.composite
def edits(draw, model):
    """An entry, a column of it and the new value."""
    kind = draw(KINDS)
    entry = draw(st.sampled_from(model.entries[kind]))
    if kind == "personas" and draw(st.booleans()):
        return entry, "price_cents", draw(st.sampled_from([0, 0, 250, 1900]))
    hidden = [other for other in model.entries[kind] if not other.is_published]
    if entry.is_published and len(hidden) == MAX_HIDDEN:
        entry = draw(st.sampled_from(hidden))
    return entry, "status", "withdrawn" if entry.is_published else "published"


@st.composite
def staff_steps(draw, model):
    suspended = [agent for agent in model.agents if agent.is_suspended]
    if suspended and draw(st.booleans()):
        return "restore", suspended[0]
    agent = draw(st.sampled_from(model.agents))
    if not suspended and not draw(st.integers(0, 2)):
        return "suspend", agent
    usable = [token for token in agent.tokens if token.is_usable]
    if len(usable) == MAX_TOKENS or (len(usable) == 2 and draw(st.booleans())):
        return "revoke_token", draw(st.sampled_from(usable))
    chosen = draw(st.sets(st.sampled_from(SCOPES), min_size=1))
    return "issue_token", agent, [scope for scope in SCOPES if scope in chosen]
