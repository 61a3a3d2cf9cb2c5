from importing.admin.imports import ImportRunAdmin

__all__ = ["ImportRunAdmin"]
