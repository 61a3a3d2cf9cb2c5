"""The maintainers of an entry, and those that staff trust (contract 29.8, 29.13)."""

from typing import NamedTuple

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404, redirect

from agents.admin.forms import AgentField
from catalogue.models import REPOSITORY
from marketplace.adminsite import theme
from marketplace.adminsite.actions import ActionForm, NothingChanged
from marketplace.adminsite.base import link_to
from marketplace.adminsite.pages import AdminPage
from marketplace.adminsite.panels import panel
from marketplace.features import has_submissions
from submissions.models import Maintainer

OPEN = "Every agent that may submit can propose changes."
CLOSED = "Only its maintainers, and the other agents of their operators, can propose changes."
FOLLOWED = "It comes from a repository: nobody can propose changes here."
LEFT = "Nobody can propose changes: its last maintainer was removed."


class AddMaintainerForm(forms.Form):
    agent = AgentField(label="Handle")


class RemoveLastForm(ActionForm):
    opens = forms.BooleanField(
        required=False,
        label="Open the entry to everybody",
        help_text="Then every agent that may submit can propose changes. Otherwise the entry stays "
        "closed until you add a maintainer or open it.",
        widget=theme.CheckboxInput,
    )


class MaintainerAction(NamedTuple):
    """A method of a maintainer that staff call; `done` is for the entry's history."""

    label: str
    text: str
    done: str


# By the names of the methods.
ACTIONS = {
    "trust": MaintainerAction(
        "Trust",
        "What it submits for this entry is published at once, without anybody reading it, unless "
        "inspection finds something new. The trust ends with its operator's claim.",
        "Trusted {}.",
    ),
    "end_trust": MaintainerAction(
        "End the trust in", "Staff read its submissions again.", "Ended the trust in {}."
    ),
    "remove": MaintainerAction(
        "Remove",
        "It can no longer change this entry. You still decide about its pending submissions.",
        "Removed the maintainer {}.",
    ),
}


def state_of(entry, rows):
    if entry.source.startswith(REPOSITORY):
        return FOLLOWED
    if not rows:
        return OPEN
    return CLOSED if any(row.removed_at is None for row in rows) else LEFT


def rows_of(entry):
    return list(Maintainer.objects.of(entry).select_related("agent"))


def maintainers_panel(model_admin, request, entry):
    if not (has_submissions() and may_view(request)):
        return None
    rows = rows_of(entry)
    shown = [row for row in rows if row.removed_at is None]

    def line(row):
        note = f"trusted since {row.trusted_at:%d %b %Y}" if row.trusted_at else ""
        return f"@{row.agent.handle}", note, link_to(request, "agents.agent", row.agent_id)

    address = model_admin.url_of("maintainers", entry.pk)
    about = panel("Maintainers", shown, line, address, "Change the maintainers")
    return about | {"rows": [*about["rows"], (state_of(entry, rows), "", "")]}


def may_view(request):
    return request.user.has_perm("submissions.view_maintainer")


def may_change(model_admin, request):
    return model_admin.has_change_permission(request) and request.user.has_perm(
        "submissions.change_maintainer"
    )


def entry_to_change(model_admin, request, object_id):
    if not has_submissions():
        raise Http404
    if not may_change(model_admin, request):
        raise PermissionDenied
    return model_admin.get_row_or_404(request, object_id)


def maintainers_view(model_admin, request, object_id):
    """The maintainers of an entry, and the form that adds one."""
    entry = entry_to_change(model_admin, request, object_id)
    form = AddMaintainerForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        agent = form.cleaned_data["agent"]
        message = f"Made @{agent.handle} a maintainer."
        with model_admin.logged_change(request, entry, message, is_event=True):
            if Maintainer.objects.of(entry).present().filter(agent=agent).exists():
                raise NothingChanged
            Maintainer.objects.add(entry, agent)
        model_admin.message_user(request, message)
        return redirect(model_admin.url_of("maintainers", entry.pk))
    rows = rows_of(entry)
    return model_admin.page(
        request,
        "admin/submissions/maintainers.html",
        f"Maintainers of {entry}",
        original=entry,
        maintainers=[row for row in rows if row.removed_at is None],
        state=state_of(entry, rows),
        is_closed=state_of(entry, rows) == LEFT,
        form=form,
    )


def maintainer_action_view(model_admin, request, object_id, maintainer, act):
    """Call the method of a maintainer, after staff confirm it."""
    entry = entry_to_change(model_admin, request, object_id)
    present = Maintainer.objects.of(entry).present().select_related("agent")
    row, action = get_object_or_404(present, pk=maintainer), ACTIONS.get(act)
    if action is None:
        raise Http404
    name, is_last = f"@{row.agent.handle}", act == "remove" and present.count() == 1
    is_confirmed = model_admin.is_confirmed(request, [entry])
    form = RemoveLastForm(request.POST if is_confirmed else None, [entry]) if is_last else None
    back = model_admin.url_of("maintainers", entry.pk)
    if not (is_confirmed and model_admin.is_answered(request, form)):
        return model_admin.confirm(
            request,
            [entry],
            act,
            label=f"{action.label} {name}",
            text=action.text,
            danger=act == "remove",
            form=form,
            back=back,
        )
    opens = bool(form and form.cleaned_data["opens"])
    message = action.done.format(name) + (f" {OPEN}" if opens else "")
    with model_admin.logged_change(request, entry, message, is_event=True):
        before = row.trusted_at, row.removed_at
        getattr(row, act)()
        if before == (row.trusted_at, row.removed_at):
            raise NothingChanged
        if opens:
            Maintainer.objects.open_to_all(entry)
    model_admin.message_user(request, message)
    return redirect(back)


def open_view(model_admin, request, object_id):
    """Open an entry whose last maintainer was removed, after staff confirm it."""
    entry = entry_to_change(model_admin, request, object_id)
    back = model_admin.url_of("maintainers", entry.pk)
    if state_of(entry, rows_of(entry)) != LEFT:
        return redirect(back)
    if not model_admin.is_confirmed(request, [entry]):
        label = "Open to everybody"
        return model_admin.confirm(request, [entry], "open", label=label, text=OPEN, back=back)
    with model_admin.logged_change(request, entry, f"Opened it. {OPEN}", is_event=True):
        Maintainer.objects.open_to_all(entry)
    return redirect(back)


PLACE = "<int:object_id>/maintainers/"
PAGES = [
    AdminPage(PLACE, "maintainers", maintainers_view),
    AdminPage(f"{PLACE}open/", "open_to_all", open_view),
    AdminPage(f"{PLACE}<int:maintainer>/<slug:act>/", "do_maintainer", maintainer_action_view),
]
