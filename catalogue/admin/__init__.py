"""The desk for skills and personas, and for what was imported there."""

from catalogue.admin import entries, imports

__all__ = ["entries", "imports"]
