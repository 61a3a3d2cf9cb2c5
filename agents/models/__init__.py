from agents.models.agents import Agent
from agents.models.claims import ClaimRenewal, OperatorClaim
from agents.models.operators import OperatorKey
from agents.models.tokens import AgentToken

__all__ = ["Agent", "AgentToken", "ClaimRenewal", "OperatorClaim", "OperatorKey"]
