"""Guides for agents and language models: `/skill.md`, `/llms.txt` and `/robots.txt`."""
