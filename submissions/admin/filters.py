from datetime import timedelta

from django.utils import timezone

from catalogue.findings import CODES
from marketplace.adminsite.filters import ChoiceFilter, QueueFilter
from submissions.models.querysets import State

LONG_WAIT = timedelta(days=3)
# The codes that follow from more than one stored entry.
OTHER_CODES = ["left-out", "unknown-skill", "look-alike", "outdated"]


def waiting_long(rows):
    return rows.pending().filter(created_at__lt=timezone.now() - LONG_WAIT)


class StateFilter(QueueFilter):
    """Pending submissions, unless you choose another state."""

    options = {
        state.value: (state.value, lambda rows, state=state: rows.filter(state=state))
        for state in State
    } | {"all": ("all", lambda rows: rows)}


class FindingFilter(ChoiceFilter):
    title = parameter_name = "finding"
    options = {"scripts": ("scripts change", lambda rows: rows.filter(changes_scripts=True))} | {
        code: (code, lambda rows, code=code: rows.filter(findings__contains=[{"code": code}]))
        for code in [*CODES, *OTHER_CODES]
    }


class WaitFilter(ChoiceFilter):
    title = parameter_name = "waiting"
    options = {"long": ("more than three days", waiting_long)}
