"""Strategies for the next step of operators in the model test."""

from hypothesis import strategies as st

from tests.system.model_agents import LIMIT
from tests.system.model_console import WRONG_CODE
from tests.system.model_data import SLUGS, UNKNOWN
from tests.system.model_operated import LIMITED
from tests.system.model_tokens import usable
from tests.system.model_validation import SCOPES

MAX_TOKENS = 14  # usable ones of an agent; its operator issues no others beyond that
NAMES = st.sampled_from(["Ada Lovelace", "Grace Hopper", "Ünal <b>& Co</b>"])
ACTIONS = [
    *(*["pause", "issue-token", "remove-skill", "remove-persona", "limits"] * 3, "resume"),
    *("pin-skill", "pin-persona", "unpin-skill", "unpin-persona"),
    *("update-skill", "update-persona", "update-all", "pin-all", "unpin-all"),
    *(*["revoke-token"] * 2, *["revoke-tokens", "release"] * 2, *["new-claim-url"] * 2),
]


@st.composite
def operator_steps(draw, model):
    """Request a code, confirm or burn it, or use the console."""
    waiting = [agent for agent in model.agents if agent.claim.waiting and able(agent)]
    claimed = [agent for agent in model.agents if agent.claim.confirmed]
    # A suspended agent that was released cannot tell where its new page is.
    agents = [agent for agent in model.agents if agent.claim.url.value]
    kinds = ["log_in", *["ask"] * 3 * (agents != []), *["confirm"] * 5 * (waiting != [])]
    kind = draw(st.sampled_from(kinds + ["operate"] * 8 * (claimed != [])))
    if kind == "log_in":
        return kind, draw(st.sampled_from(model.keys))
    if kind == "operate":
        return draw(console_steps(model, claimed))
    if kind == "confirm":
        agent = draw(st.sampled_from(waiting))
        token = draw(st.sampled_from(able(agent) * 3 + usable(agent)))
        if not draw(st.integers(0, 5)):
            return "burn", token
        return "request", "confirm_claim", {"code": draw(codes(model, token))}, token
    texts = [str(key.text) for key in model.keys]
    opening = [str(key.text) for key in model.keys if key.opens]
    key = draw(st.sampled_from([None] * 3 + opening * 2 + texts[-2:] + ["mkt_operator_"]))
    return "ask", draw(st.sampled_from(agents)), draw(NAMES), key


@st.composite
def codes(draw, model, token):
    """Mostly the code that the agent is to confirm, in the spellings that people use."""
    own = [token.agent.claim] if token and token.agent else []
    claims = [agent.claim for agent in model.agents] + own * 8
    requests = [
        request for claim in claims for request in (*claim.waiting, claim.confirmed) if request
    ]
    code = draw(st.sampled_from([str(request.code) for request in requests] + [WRONG_CODE, "é"]))
    spelled = st.sampled_from([str, str.lower, lambda c: c.replace("-", ""), " {} ".format])
    return draw(spelled)(code)


@st.composite
def console_steps(draw, model, claimed):
    paused = [agent for agent in model.agents if agent.is_paused]
    if paused and draw(st.booleans()):
        agent, action = paused[0], "resume"
    else:
        agent = draw(st.sampled_from(claimed))
        action = draw(st.sampled_from(ACTIONS))
    if not usable(agent):
        action = "issue-token"
    if len(usable(agent)) >= MAX_TOKENS and action == "issue-token":
        action = "revoke-token"
    if paused and action == "pause":
        action = "resume"
    key = agent.claim.confirmed and agent.claim.confirmed.key
    # One in eight once had the agent, never had it, or has not confirmed it yet.
    if not key or not draw(st.integers(0, 7)):
        key = draw(st.sampled_from(model.keys))
    return "operate", key, action, agent, draw(given(model, action, agent))


@st.composite
def given(draw, model, action, agent):
    """The other fields of an action's form."""
    if action.endswith(("-skill", "-persona")):
        kind = f"{action.partition('-')[2]}s"
        own = [entry.slug for entry in (agent.skills if kind == "skills" else agent.personas)]
        subject = {"subject": draw(st.sampled_from(own * 3 + SLUGS[kind] + [UNKNOWN]))}
        # Without a number, the page has selected the version that the agent uses.
        chosen = [{}, {}, *({"version": number} for number in ("1", "2", "30"))]
        return subject | draw(st.sampled_from(chosen if action.startswith("pin") else [{}]))
    if action == "revoke-token":
        # So that some tokens with all scopes remain.
        others = [t for t in usable(agent) if t.scopes != SCOPES] + able(agent)[1:]
        known = [token.token_id.value for token in others * 3 + model.tokens]
        # Without hyphens, which no path of a token has.
        unknown = UNKNOWN.replace("-", "_")
        return {"subject": draw(st.sampled_from([*filter(None, known), *[unknown] * 4]))}
    if action == "limits":
        used = {policy: agent.spent[policy] for policy in LIMITED}
        return {
            policy: draw(
                st.sampled_from(["", "", "", str(used[policy] + 2), "1", str(LIMIT), *wrong])
            )
            for policy, wrong in zip(LIMITED, (["0"], [], [str(LIMIT + 1)], []), strict=True)
        }
    if action == "issue-token":
        some = st.lists(st.sampled_from(SCOPES), unique=True)
        return {
            "scopes": draw(st.just(SCOPES) | some),
            "name": draw(st.sampled_from(["laptop", "n" * 80, ""])),
            "expires_in_days": draw(st.sampled_from(["", "1", "3650", "3651"])),
        }
    return {}


def able(agent):
    """Its tokens with all scopes."""
    return [token for token in usable(agent) if token.scopes == SCOPES]
