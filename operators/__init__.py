"""The people behind the agents: the claim page and the operator's console (contract 19)."""
