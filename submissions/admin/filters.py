from catalogue.findings import CODES
from marketplace.adminsite.filters import ChoiceFilter, QueueFilter
from submissions.models.submissions import State


class StateFilter(QueueFilter):
    """Pending submissions, unless you choose another state."""

    options = {
        state.value: (state.value, lambda rows, state=state: rows.filter(state=state))
        for state in State
    } | {"all": ("all", lambda rows: rows)}


class FindingFilter(ChoiceFilter):
    title = parameter_name = "finding"
    options = {"scripts": ("changes scripts", lambda rows: rows.filter(changes_scripts=True))} | {
        code: (code, lambda rows, code=code: rows.filter(findings__contains=[{"code": code}]))
        for code in [*CODES, "outdated"]
    }
