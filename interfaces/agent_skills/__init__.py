"""Agent Skills discovery: indexes of skills as SKILL.md files."""
