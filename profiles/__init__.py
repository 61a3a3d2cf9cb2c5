"""What an agent has: its profile, over all apps below (contract 6)."""
