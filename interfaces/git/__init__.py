"""Read-only repositories that git and its clients clone: skills and plugins (contract 27)."""
