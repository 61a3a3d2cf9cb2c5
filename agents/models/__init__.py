from agents.models.agents import Agent
from agents.models.claim_codes import ClaimCode
from agents.models.claims import OperatorClaim
from agents.models.invitations import Invitation
from agents.models.operators import OperatorKey
from agents.models.raised_limits import RaisedLimit
from agents.models.refusals import Refusal
from agents.models.tokens import AgentToken
