"""Guides for agents and models: `/skill.md`, `/guide.md`, `/llms.txt` and `/robots.txt`."""
