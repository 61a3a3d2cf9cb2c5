"""Requests of the model test that are refused, each once."""

from tests.system import model_data as data
from tests.system.model import Model
from tests.system.model_agents import SCOPES
from tests.system.model_claims import WRONG_CODE
from tests.system.model_data import UNKNOWN
from tests.system.model_steps import UNKNOWN_TOKEN


class RefusedRequests:
    def get_refused(self):
        """Each operation with a token that lacks its scope, and claims."""
        self.act("register", {})
        agent = self.model.agents[-1]
        token, narrow = agent.tokens[0], [self.issue(agent, [scope]) for scope in SCOPES]
        for operation, scope in scopes_of(sorted(data.ROUTES)):
            lacking = next(token for token in narrow if scope not in token.scopes)
            for refused in (None, UNKNOWN_TOKEN, lacking):
                self.act(operation, {"tokenId": UNKNOWN, "personaSlug": UNKNOWN}, refused)
        for operation, scope in scopes_of(sorted(data.LISTS)):
            lacking = next(token for token in narrow if scope not in token.scopes)
            for refused in (None, UNKNOWN_TOKEN, lacking):
                self.paginate(operation, {}, refused)
        self.act("create_token", {"scopes": SCOPES}, narrow[0])
        self.claim_by_an_older_code(token)
        self.act("confirm_claim", {"code": WRONG_CODE}, token)
        self.ask(agent, "Grace Hopper")
        self.act("confirm_claim", {"code": str(agent.claim.waiting[-1].code)}, narrow[0])
        self.burn(token)
        self.act("list_tokens", token=token)
        self.act("delete_token", {"tokenId": token.token_id.value}, narrow[0])

    def claim_by_an_older_code(self, token):
        """The first of four codes is void, and the second confirms its person."""
        requests = [self.ask(token.agent, name) for name in ("Eve", "Ada Lovelace", "Eve", "Eve")]
        for request in requests[:2]:
            self.act("confirm_claim", {"code": str(request.code)}, token)


def scopes_of(operations):
    """The operations that need a token, each with its scope."""
    scopes = [(name, getattr(getattr(Model, name), "scope", None)) for name in operations]
    return [(name, scope) for name, scope in scopes if scope]
