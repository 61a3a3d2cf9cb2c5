from agents.models.agents import Agent, AgentToken
from agents.models.claims import OperatorClaim

__all__ = ["Agent", "AgentToken", "OperatorClaim"]
