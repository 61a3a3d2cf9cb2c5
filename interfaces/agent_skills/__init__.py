"""Agent Skills discovery: indexes (`views`) of skills as valid SKILL.md files (`skill_file`)."""
