"""Strategies for the next step of operators in the model test."""

from hypothesis import strategies as st

from tests.system.model_agents import SCOPES
from tests.system.model_claims import WRONG_CODE
from tests.system.model_tokens import usable

NAMES = st.sampled_from(["Ada Lovelace", "Grace Hopper", "Ünal <b>& Co</b>"])


@st.composite
def operator_steps(draw, model):
    """Request a code, confirm or burn it."""
    waiting = [agent for agent in model.agents if agent.claim.waiting and able(agent)]
    # A suspended agent that was released cannot tell where its new page is.
    agents = [agent for agent in model.agents if agent.claim.url.value]
    kinds = ["ask"] * 3 * (agents != []) + ["confirm"] * 5 * (waiting != [])
    kind = draw(st.sampled_from(kinds))
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


def able(agent):
    """Its tokens with all scopes."""
    return [token for token in usable(agent) if token.scopes == SCOPES]
