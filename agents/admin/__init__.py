"""The admin of agents, their tokens and their operators' claims."""

from agents.admin.agents import AgentAdmin
from agents.admin.claims import OperatorClaimAdmin
from agents.admin.invitations import InvitationAdmin
from agents.admin.tokens import AgentTokenAdmin
