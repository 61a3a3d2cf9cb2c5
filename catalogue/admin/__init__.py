"""The admin of skills and personas, and for what was imported there."""

from catalogue.admin import entries, imports

__all__ = ["entries", "imports"]
