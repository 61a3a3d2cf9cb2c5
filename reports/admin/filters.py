from marketplace.adminsite.filters import ChoiceFilter, QueueFilter
from reports.models import Case


class OpenFilter(QueueFilter):
    """Open cases or reports, unless you choose another state."""

    options = {
        "open": ("open", lambda rows: rows.open()),
        "resolved": ("resolved", lambda rows: rows.filter(resolved_at__isnull=False)),
        "all": ("all", lambda rows: rows),
    }


class KindFilter(ChoiceFilter):
    title = parameter_name = "kind"
    options = {
        kind: (f"{kind}s", lambda cases, kind=kind: cases.exclude(**{kind: None}))
        for kind in Case.KINDS
    }
