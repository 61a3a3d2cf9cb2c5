"""The query string of an agent's list of submissions (contract 29)."""

from django.db.models import F, Q

from catalogue.models import Kind
from marketplace.api.fields import ChoiceField
from marketplace.api.list_queries import Filter, ListQuery, Sort
from submissions.models.querysets import State


def one_of(choices):
    def parse(text):
        if text not in choices.values:
            raise ValueError(text)
        return text

    return parse


def choice(name, choices, description):
    return Filter(
        lambda value: Q(**{name: value}),
        description,
        field=ChoiceField(choices.values),
        error=f"{name} must be one of {', '.join(choices.values)}",
        parse=one_of(choices),
    )


class OwnSubmissionQuery(ListQuery):
    """For the submissions of the bound `agent`."""

    cursor_name = "OwnSubmissionQuery"
    filters = {
        "state": choice("state", State, "Only those in this state."),
        "kind": choice("kind", Kind, "Only those of this kind."),
    }
    sorts = {"newest": Sort(F("id"), "Newest")}
    default_sort = "newest"
