from django.db.models import Q

from catalogue.admin.filters import NEWEST, among_newest
from importing.confirmed import SOURCE
from marketplace.adminsite.filters import ChoiceFilter

IMPORTED_HERE = Q(source__startswith=f"{SOURCE}:")


class SourceFilter(ChoiceFilter):
    title = f"source (newest {NEWEST:,})"
    parameter_name = "source"
    options = {
        "hand": ("written here", lambda rows: among_newest(rows).filter(source="")),
        "admin": ("imported here", lambda rows: among_newest(rows).filter(IMPORTED_HERE)),
        "other": (
            "imported elsewhere",
            lambda rows: among_newest(rows).filter(~IMPORTED_HERE, ~Q(source="")),
        ),
    }
