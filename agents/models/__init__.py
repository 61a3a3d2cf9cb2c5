from agents.models.agents import Agent
from agents.models.claims import OperatorClaim
from agents.models.tokens import AgentToken

__all__ = ["Agent", "AgentToken", "OperatorClaim"]
