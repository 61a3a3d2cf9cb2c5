"""Strategies for the next step of the model test, given the state of the model."""

from hypothesis import strategies as st

from tests.system.model_agents import EVERY_SCOPE, SCOPES, Token
from tests.system.model_bodies import BODIES
from tests.system.model_data import (
    BELOW,
    FILTERS,
    MAX_HIDDEN,
    MESSAGES,
    REASONS,
    SLUGS,
    SORTS,
    UNKNOWN,
)
from tests.system.model_submission_steps import submission_steps
from tests.system.model_tokens import usable
from tests.system.model_version_steps import numbers, version_steps, writings

MAX_AGENTS = 4
UNKNOWN_TOKEN = Token("mkt_agent_" + "0" * 38, is_usable=False)
OPERATIONS = [
    *(*["install_persona"] * 6, *["install_skill"] * 6, *["review"] * 6),
    *(*["delete_review"] * 3, *["report"] * 4),
    *(*["activate_persona"] * 4, *["uninstall_skill", "uninstall_persona"] * 3),
    *("deactivate_persona", *["update_skill", "update_persona"] * 3, "manifest", "limits"),
    *["pin_skill", "pin_persona", "unpin_skill", "unpin_persona"] * 2,
    *(*["create_token", "rotate_token", "delete_token"] * 2, "revoke_leaked_token"),
    *("register", "register", "update_me", "update_me"),
]
KINDS = st.sampled_from(["skills", "personas"])
LISTED = [*["list_skills", "list_personas"] * 2, "own_skills", "own_personas", "own_reviews"]
LISTED += ["persona_reviews"] * 2


@st.composite
def steps(draw):
    """The name of a step and its arguments, such as `("suspend", agent)`."""
    model = draw(st.runner()).model
    kinds = ["request"] * 12 + ["paginate"] * 3 + ["edit"] * 7 + ["staff"] * 3 + ["submission"] * 8
    kind = draw(st.sampled_from(kinds))
    if kind in {"request", "paginate"}:
        return kind, *draw({"request": requests, "paginate": queries}[kind](model))
    return draw(STRATEGIES[kind](model))


@st.composite
def requests(draw, model):
    """An operation, its input (as `act` takes it), and the token to send."""
    operation, token = draw(st.sampled_from(OPERATIONS)), draw(callers(model))
    if operation == "delete_token":
        return operation, {"tokenId": draw(token_ids(model, token))}, token
    if operation == "delete_review":
        return operation, {"personaSlug": draw(slugs("personas", own_reviewed(token)))}, token
    if operation == "revoke_leaked_token":
        texts = [str(token.text) for token in model.tokens]
        return operation, {"token": draw(st.sampled_from([*texts, "", "é"]))}, None
    body = draw(BODIES[operation])
    if operation == "register" and (len(model.agents) == MAX_AGENTS or draw(st.booleans())):
        body = {**(body or {}), "handle": draw(st.sampled_from(sorted(model.handles)))}
    if operation == "report":
        body |= draw(reported(model))
    elif operation == "review":
        body["personaSlug"] = draw(slugs("personas", preferred(model, operation, token)))
    elif operation.endswith(("_skill", "_persona")):
        kind = f"{operation.rpartition('_')[2]}s"
        body["slug"] = draw(slugs(kind, preferred(model, operation, token)))
        body |= draw(numbers(model.published(kind, body["slug"]), body.get("version")))
    return operation, body, token


def preferred(model, operation, token):
    """Interesting entries for a request, repeated by how often to draw them."""
    if token is None or token.agent is None:
        return []
    agent = token.agent
    if operation == "install_skill":
        return model.entries["skills"]
    if operation == "install_persona":
        new = [persona for persona in model.entries["personas"] if persona not in agent.personas]
        return [p for p in new if not p.price_cents and p.is_published] * 4
    if operation == "review":
        return [*agent.personas] * 3 + own_reviewed(token) * 3
    installs = agent.skills if operation.endswith("_skill") else agent.personas
    if operation.startswith("update"):
        return [*installs] + [e for e, i in installs.items() if i.digest != e.digest] * 8
    return [*installs] * 4


def own_reviewed(token):
    """The personas that the agent has reviewed."""
    if token is None or token.agent is None:
        return []
    return [persona for persona, review in token.agent.reviews.items() if not review.is_deleted]


@st.composite
def reported(draw, model):
    """The kind and the name of the target of a report."""
    kind = draw(st.sampled_from(["skill", "persona", "review"]))
    if kind != "review":
        return {"kind": kind, "slug": draw(slugs(f"{kind}s", []))}
    reviews = [review for agent in model.agents for review in agent.reviews.values()]
    known = [review.review_id.value for review in reviews]
    return {"kind": kind, "reviewId": draw(st.sampled_from([*filter(None, known), UNKNOWN]))}


def slugs(kind, preferred):
    return st.sampled_from([*(entry.slug for entry in preferred), *SLUGS[kind], UNKNOWN])


def token_ids(model, token):
    """Mostly the agent's own tokens; some of the others were in no response yet."""
    own = token.agent.tokens if token and token.agent else []
    seen = [holder.token_id.value for holder in [*own * 4, *model.tokens]]
    return st.sampled_from([*filter(None, seen), UNKNOWN])


@st.composite
def callers(draw, model):
    """A token, mostly one with all scopes; or none."""
    full = [token for token in model.tokens if all(token.may(scope) for scope in SCOPES)]
    others = [token for token in model.tokens if token not in full]
    group = draw(st.sampled_from([full] * 8 + [others] * 3 + [[UNKNOWN_TOKEN, None]]))
    return draw(st.sampled_from(group or [UNKNOWN_TOKEN]))


@st.composite
def queries(draw, model):
    """A list, its parameters, and a token.

    For a list below an entry, also the entry's slug.
    """
    operation, token = draw(st.sampled_from(LISTED)), draw(callers(model))
    slug = [draw(slugs("personas", [])) for _ in range(operation in BELOW)]
    query = {"limit": draw(st.sampled_from(["1", "2", "3"]))} if draw(st.booleans()) else {}
    if operation in FILTERS:
        values = FILTERS[operation]
        names = draw(st.lists(st.sampled_from(sorted(values)), max_size=2, unique=True))
        query |= {name: draw(st.sampled_from(values[name])) for name in names}
        # The contract leaves the ranking open, so a search gets another sort.
        if "q" in query or draw(st.booleans()):
            query["sort"] = draw(st.sampled_from(SORTS[operation]))
    return operation, query, token, *slug


@st.composite
def edits(draw, model):
    """An action of staff on an entry, the entry, and the other arguments."""
    kind = draw(KINDS)
    part = draw(st.sampled_from(["version"] * 6 + ["write"] * 5 + ["move"] * 4 + ["about"] * 2))
    if part == "version":
        return draw(version_steps(model, kind))
    if part == "write":
        return draw(writings(model, kind))
    if part == "move":
        return draw(moves(model, kind))
    entry = draw(st.sampled_from(model.entries[kind]))
    if kind == "personas" and draw(st.booleans()):
        return "price", entry, draw(st.sampled_from([0, 0, 250, 1900]))
    return draw(deprecations(model, kind, entry))


@st.composite
def moves(draw, model, kind):
    """Publish, redraft, withdraw or recall an entry."""
    hidden = [entry for entry in model.entries[kind] if not entry.is_published]
    if hidden and (len(hidden) == MAX_HIDDEN or draw(st.booleans())):
        # After a purge, write the text again first.
        entry = draw(st.sampled_from(hidden))
        return ("publish", entry) if entry.content else draw(writings(model, kind, entry))
    published = [other for other in model.entries[kind] if other.is_published]
    # Staff then cannot publish what is pending.
    proposed = {row.slug for row in model.pending if row.kind == kind}
    changed = [entry for entry in published if entry.slug in proposed]
    entry = draw(st.sampled_from(published + changed * 3))
    if not draw(st.integers(0, 2)):
        return "move", entry, "redraft"
    reason = draw(st.sampled_from(REASONS))
    return ("move", entry, "recall", reason) if reason else ("move", entry, "withdraw")


@st.composite
def deprecations(draw, model, kind, entry):
    if entry.deprecation and draw(st.booleans()):
        return "end_deprecation", entry
    successors = [other for other in model.entries[kind] if other.is_published]
    others = [other for other in successors if other is not entry]
    return (
        "deprecate",
        entry,
        draw(st.sampled_from(MESSAGES)),
        draw(st.sampled_from([*others, None])),
    )


@st.composite
def staff_steps(draw, model):
    suspended = [agent for agent in model.agents if agent.is_suspended]
    if suspended and draw(st.booleans()):
        return "restore", suspended[0]
    agent = draw(st.sampled_from(model.agents))
    reviews = [review for review in agent.reviews.values() if not review.is_deleted]
    if reviews and draw(st.booleans()):
        review = draw(st.sampled_from(reviews))
        return "restore_review" if review.is_hidden else "hide", review
    if not suspended and not draw(st.integers(0, 2)):
        return "suspend", agent
    able = [token for token in usable(agent) if {*SCOPES} <= {*token.scopes}]
    if len(able) > 1 and draw(st.booleans()):
        return "revoke_token", draw(st.sampled_from(usable(agent)))
    chosen = draw(st.sets(st.sampled_from(EVERY_SCOPE), min_size=1)) if able else EVERY_SCOPE
    return "issue_token", agent, [scope for scope in EVERY_SCOPE if scope in chosen]


STRATEGIES = {"edit": edits, "staff": staff_steps, "submission": submission_steps}
