"""The database backend: prepared statements, and querysets that are compiled once."""
