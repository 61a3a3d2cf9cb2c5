"""The versions of an entry in the admin: what changed, who has which, restore and recall."""

from typing import NamedTuple

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse

from catalogue.admin.actions import get_it, have_it
from catalogue.admin.findings import FindingsForm
from catalogue.admin.forms import VersionRecallForm
from catalogue.comparisons import version_changes
from catalogue.file_tree import file_tree
from catalogue.models import MAX_NUMBER
from marketplace.adminsite.pages import AdminPage

PAGE = 50  # versions on a page


class VersionAction(NamedTuple):
    """A method of a version that staff call; `done` is for the entry's history."""

    label: str
    text: str
    done: str
    form_class: type | None = None
    danger: bool = False


# By the names of the methods.
ACTIONS = {
    "restore": VersionAction(
        "Restore",
        "The entry gets the text, files, title, description and label of this version. If the "
        "entry is published, that creates a new version. Agents that have pinned a version keep "
        "theirs.",
        "Restored version {number}.",
        FindingsForm,
    ),
    "recall": VersionAction(
        "Recall",
        "Agents can no longer read or install this version, or any other number with the same "
        "text. Agents that have it keep the copy that they downloaded, and read your reason in "
        "their advisories until they get another text. The text cannot be published again until "
        "you lift the recall.",
        "Recalled version {number}: {reason}",
        VersionRecallForm,
        danger=True,
    ),
    "lift_recall": VersionAction(
        "Lift the recall of",
        "Agents can read and install this version and every other number with the same text again.",
        "Lifted the recall of version {number}.",
    ),
}


# Looking at them


def versions_view(model_admin, request, object_id):
    entry = model_admin.get_row_or_404(request, object_id)
    versions = Paginator(entry.versions.all(), PAGE).get_page(request.GET.get("p"))
    holders = holders_by_number(entry)
    for version in versions:
        complete(entry, version)
        version.holders = holders.get(version.number)
    add_origins(model_admin, entry, versions)
    return model_admin.page(
        request,
        "admin/catalogue/versions.html",
        f"Versions of {entry}",
        original=entry,
        versions=versions,
        may_change=model_admin.has_change_permission(request),
        older=holders.get(None),
        installs_url=reverse(f"admin:installs_{model_admin.opts.model_name}install_changelist")
        + f"?{model_admin.opts.model_name}__id__exact={entry.pk}&present=yes",
    )


def version_view(model_admin, request, object_id, number):
    entry = model_admin.get_row_or_404(request, object_id)
    version = version_of(entry, number)
    add_origins(model_admin, entry, [version])
    files = [] if version.is_purged else file_tree(version.files)
    return model_admin.page(
        request,
        "admin/catalogue/version.html",
        f"Version {number} of {entry}",
        original=entry,
        version=version,
        files=files,
        may_change=model_admin.has_change_permission(request),
    )


def add_origins(model_admin, entry, versions):
    """Set the `origin` of each version, which is empty or says who made it."""
    origins = {}
    for origins_of in model_admin.version_origins:
        origins |= origins_of(entry, [version.number for version in versions])
    for version in versions:
        version.origin = origins.get(version.number, "")


def compare_view(model_admin, request, object_id):
    entry = model_admin.get_row_or_404(request, object_id)
    old, new = (version_of(entry, request.GET.get(name)) for name in ("from", "to"))
    changes = [] if old.is_purged or new.is_purged else version_changes(old, new)
    return model_admin.page(
        request,
        "admin/catalogue/compare.html",
        f"Version {old.number} and version {new.number} of {entry}",
        original=entry,
        old=old,
        new=new,
        changes=changes,
    )


def holders_by_number(entry):
    """`{number: {"all", "pinned"}}` of the agents that have the entry."""
    rows = entry.agent_installs.present().order_by().values("number")
    rows = rows.annotate(all=Count("pk"), pins=Count("pk", filter=~Q(pinned=None)))
    return {row["number"]: row for row in rows}


# Acting on one


def version_action_view(model_admin, request, object_id, number, act):
    """Call the method of the version, after staff confirm it."""
    entry, action = model_admin.get_row_or_404(request, object_id), ACTIONS.get(act)
    if action is None:
        raise Http404
    version, back = version_of(entry, number), model_admin.url_of("versions", entry.pk)
    is_confirmed = model_admin.is_confirmed(request, [entry])
    rows = [entry]
    if act == "restore":
        rows = [] if version.is_purged else [version.restored()]
    form_class = action.form_class
    form = form_class and form_class(request.POST if is_confirmed else None, rows)
    if not (is_confirmed and model_admin.is_answered(request, form)):
        return model_admin.confirm(
            request,
            [entry],
            act,
            label=f"{action.label} version {number}",
            text=action.text,
            danger=action.danger,
            form=form,
            back=back,
            facts=[(version, who_is_affected(act, entry, version))],
            changes=changes_of_restoring(entry, version) if act == "restore" else [],
        )
    values = form.cleaned_data if form else {}
    message = action.done.format(number=number, **values)
    try:
        with model_admin.logged_change(request, entry, message, is_event=True):
            getattr(version, act)(**values)
    except ValidationError as error:
        model_admin.message_user(request, " ".join(error.messages), messages.ERROR)
    else:
        told = message.partition(":")[0].rstrip(".")
        if act == "restore" and entry.is_published:
            told = f"{told} as version {entry.number}: {get_it(entry)}"
        model_admin.message_user(request, f"{told}.")
    return redirect(back)


def who_is_affected(act, entry, version):
    if act != "restore":
        return have_it(version.holders().count())
    if entry.is_published:
        return f"becomes version {entry.number + 1}: {get_it(entry)}"
    return f"the {entry.kind} is {entry.state}: no agent gets it until you publish it"


def changes_of_restoring(entry, version):
    newest = entry.versions.first()
    return [] if newest.is_purged or version.is_purged else version_changes(newest, version)


# What the pages share


def version_of(entry, number):
    """The version with this number, which may be any text; otherwise a 404."""
    try:
        number = int(number)
        version = entry.versions.get(number=number) if 0 < number <= MAX_NUMBER else None
    except (TypeError, ValueError, entry.versions.model.DoesNotExist) as error:
        raise Http404 from error
    if version is None:
        raise Http404
    return complete(entry, version)


def complete(entry, version):
    version.is_current = entry.is_published and entry.number == version.number
    version.has_current_text = entry.is_published and entry.digest == version.digest
    return version


PLACE = "<int:object_id>/versions/"
PAGES = [
    AdminPage(PLACE, "versions", versions_view, button="Versions"),
    AdminPage(f"{PLACE}compare/", "compare", compare_view),
    AdminPage(f"{PLACE}<int:number>/", "version", version_view),
    AdminPage(
        f"{PLACE}<int:number>/<slug:act>/",
        "do_version",
        version_action_view,
        permissions=("view", "change"),
    ),
]
