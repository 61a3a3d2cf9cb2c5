"""What staff do with an entry as a whole: publish, withdraw, recall, deprecate."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Count, Q
from django.template.defaultfilters import pluralize

from catalogue.admin.findings import FindingsForm
from catalogue.admin.forms import DeprecationForm, RecallForm
from catalogue.models import Status
from catalogue.models.checks import is_checked
from marketplace.adminsite.actions import confirmed_action, offered_to

RECALL_TEXT = (
    "A recalled entry disappears from every list, and nobody can install it. Its page stays public "
    "and shows the date, your reason and the successor. Agents that have it keep the copy that "
    "they downloaded, and read your reason and the successor in their advisories."
)


def holders_of(model_admin, entries):
    return model_admin.holders_of(entries)


def checked_versions(model_admin, entries):
    return [(entry, f"version {entry.number}") for entry in entries]


def checked_numbers(model_admin, entries):
    return [(number_field(entry), entry.number) for entry in entries]


def number_field(entry):
    """The field of the confirmation that holds the number of the version that it names."""
    return f"number_of_{entry.pk}"


@confirmed_action(
    "Publish",
    FindingsForm,
    text="Agents can find and install a published entry.",
    refusal="Nothing to publish: all of these are already published.",
    level=messages.INFO,
)
@offered_to(lambda entry: entry.status != Status.PUBLISHED)
def publish(model_admin, request, queryset):
    model_admin.change_each(request, queryset, "Published.", model_admin.model.publish)


# It would end a recall, and its agents would no longer read the reason.
@confirmed_action(
    "Back to draft",
    text="A draft is in no list and cannot be installed. Agents that have it keep it.",
    refusal="Nothing to move back: all of these are drafts or recalled. Publishing ends a recall.",
    level=messages.INFO,
)
@offered_to(lambda entry: entry.status != Status.DRAFT and not entry.is_recalled)
def redraft(model_admin, request, queryset):
    model_admin.change_each(request, queryset, "Moved back to draft.", model_admin.model.redraft)


# A recalled entry stays recalled, so that its agents can still read the reason.
@confirmed_action(
    "Withdraw",
    danger=True,
    text="A withdrawn entry disappears from every list and can no longer be installed. Agents "
    "that have it keep it, and see no reason. To give a reason, recall it.",
    facts=holders_of,
    refusal="Nothing to withdraw: all of these are already withdrawn.",
    level=messages.INFO,
)
@offered_to(lambda entry: entry.status != Status.WITHDRAWN)
def withdraw(model_admin, request, queryset):
    model_admin.change_each(request, queryset, "Withdrawn.", model_admin.model.withdraw)


@confirmed_action(
    "Recall",
    RecallForm,
    danger=True,
    text=RECALL_TEXT,
    facts=holders_of,
    refusal="Nothing to recall: choose entries that were published and are not recalled yet.",
)
# Nobody has seen a text that was never published, and its page would be public.
@offered_to(lambda entry: not entry.is_recalled and entry.number > 0)
def recall(model_admin, request, queryset, reason, successor):
    model_admin.change_each(
        request, queryset, f"Recalled: {reason}", lambda entry: entry.recall(reason, successor)
    )


@confirmed_action(
    "Deprecate",
    DeprecationForm,
    text="Agents can still install a deprecated entry. Its page, the lists and the agents that "
    "have it show your message and the successor.",
    facts=holders_of,
)
def deprecate(model_admin, request, queryset, message, successor):
    model_admin.change_each(
        request,
        queryset,
        f"Deprecated: {message}",
        lambda entry: entry.deprecate(message, successor),
    )


@confirmed_action(
    "End the deprecation",
    text="The message and the successor disappear.",
    refusal="Nothing to end: none of these is deprecated.",
    level=messages.INFO,
)
@offered_to(lambda entry: entry.deprecation_message != "")
def end_deprecation(model_admin, request, queryset):
    model_admin.change_each(
        request, queryset, "No longer deprecated.", model_admin.model.end_deprecation
    )


@confirmed_action(
    "Mark as checked",
    text="The public page and its card say that staff checked this version, until its text "
    "changes.",
    facts=checked_versions,
    hidden=checked_numbers,
    refusal="Nothing to mark: choose published entries that are not checked yet.",
    level=messages.INFO,
)
@offered_to(lambda entry: entry.is_published and not is_checked(entry))
def mark_as_checked(model_admin, request, queryset):
    def mark(entry):
        # An import may have published another version than the one that the page named.
        if request.POST.get(number_field(entry)) != str(entry.number):
            raise ValidationError("Its version is another one now. Look at it, then check it.")
        entry.mark_as_checked()

    model_admin.change_each(request, queryset, "Marked as checked.", mark)


@confirmed_action(
    "Remove the check",
    text="The public page no longer says that staff checked this version.",
    refusal="Nothing to remove: none of these is checked.",
    level=messages.INFO,
)
@offered_to(lambda entry: entry.is_published and is_checked(entry))
def remove_check(model_admin, request, queryset):
    model_admin.change_each(request, queryset, "Check removed.", model_admin.model.remove_check)


ACTIONS = [
    *(publish, redraft, withdraw, recall, deprecate, end_deprecation),
    *(mark_as_checked, remove_check),
]


def in_agents(number):
    return f"{number:,} agent{pluralize(number)}"


def have_it(number):
    return f"{in_agents(number)} {'has' if number == 1 else 'have'} it"


def count_holders(entries):
    """Set `holders` of the entries, which are of one kind, and return them.

    It says how many agents have "all" and how many have "pinned" a version.
    """
    new = [entry for entry in entries if not hasattr(entry, "holders")]
    if new:
        kind = new[0].kind
        installs = type(new[0]).agent_installs.rel.related_model.objects.present()
        rows = installs.filter(**{f"{kind}__in": new}).order_by().values(kind)
        rows = rows.annotate(all=Count("pk"), pinned=Count("pk", filter=~Q(pinned=None)))
        counts = {row.pop(kind): row for row in rows}
        for entry in new:
            entry.holders = counts.get(entry.pk, {"all": 0, "pinned": 0})
    return entries


def get_it(entry):
    """Which agents get the newest text of an entry, in words: those that have not pinned one."""
    [entry] = count_holders([entry])
    number = entry.holders["all"] - entry.holders["pinned"]
    return (
        f"{in_agents(number)} get{pluralize(number, 's,')} it" if number else "no agent gets it yet"
    )
