"""The top of an entry's page: its state, why, who has it, and the actions that this calls for."""

from catalogue.admin.actions import count_holders, have_it
from catalogue.models.checks import is_checked

# By the state of an entry: the actions and the pages whose buttons are beside it. All others are
# in the menu, such as publishing what was recalled.
MAIN = {
    "draft": ["publish", "As an agent sees it"],
    "published": ["mark_as_checked", "Versions", "recall"],
    "withdrawn": ["publish", "Versions"],
    "recalled": ["Versions", "As an agent sees it"],
}


def state_of(model_admin, request, entry):
    """A part of the `row_context`."""
    actions = [
        (name, label, model_admin.url_of("do", entry.pk, name))
        for name, label in model_admin.row_actions(request, entry)
    ]
    pages = [(label, label, url) for label, url in model_admin.buttons(request, entry)]
    buttons = {name: (label, url) for name, label, url in [*actions, *pages]}
    main = [buttons.pop(name) for name in MAIN[entry.state] if name in buttons]
    return {
        "main_buttons": main,
        "more_buttons": list(buttons.values()),
        "holders": holders(entry),
        "is_checked": entry.is_published and is_checked(entry),
    }


def holders(entry):
    """Which agents have an entry, as a sentence."""
    [entry] = count_holders([entry])
    pinned = entry.holders["pinned"]
    pins = f", {pinned:,} of them a pinned version" if pinned else ""
    return f"{have_it(entry.holders['all'])}{pins}."
