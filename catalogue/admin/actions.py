"""What staff do with an entry as a whole: publish, withdraw, recall, deprecate."""

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count
from django.template.defaultfilters import pluralize

from catalogue.admin.forms import DeprecationForm, RecallForm
from catalogue.models import Status
from catalogue.models.checks import is_checked
from marketplace.adminsite.actions import confirmed_action
from marketplace.adminsite.base import state_label

RECALL_TEXT = (
    "A recalled entry disappears from every list, and nobody can install it. Its page stays public "
    "and shows the date, your reason and the successor."
)


CHECKS = {"mark_as_checked", "take_back_check"}


def holders_of(model_admin, entries):
    return model_admin.holders_of(entries)


def checked_versions(model_admin, entries):
    return [(entry, f"version {entry.number}") for entry in entries]


def checked_numbers(model_admin, entries):
    return [(number_field(entry), entry.number) for entry in entries]


def number_field(entry):
    """The field of the confirmation that holds the number of the version that it names."""
    return f"number_of_{entry.pk}"


class StateActionsMixin:
    state_actions = [
        *("publish", "redraft", "withdraw", "recall", "deprecate", "end_deprecation"),
        *("mark_as_checked", "take_back_check"),
    ]

    @admin.display(description="status", ordering=None)
    def state(self, entry):
        if entry.is_published and entry.deprecation_message:
            return state_label("deprecated")
        return state_label("recalled" if entry.is_recalled else entry.status)

    @admin.display(description="successor", empty_value="None")
    def replaced_by(self, entry):
        """The successor, with a note if it is not published, because agents do not see it then."""
        successor = entry.successor
        if successor is None or successor.is_published:
            return successor
        return f"{successor} ({successor.status}, so agents do not see it)"

    @confirmed_action(
        "Publish",
        text="Agents can find and install a published entry.",
        refusal="Nothing to publish: all of these are already published.",
        level=messages.INFO,
    )
    def publish(self, request, queryset):
        self.change_each(request, queryset, "Published.", self.model.publish)

    @confirmed_action(
        "Back to draft",
        text="A draft is in no list and cannot be installed. Agents that have it keep it.",
        refusal="Nothing to move back: all of these are already drafts.",
        level=messages.INFO,
    )
    def redraft(self, request, queryset):
        self.change_each(request, queryset, "Moved back to draft.", self.model.redraft)

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
    def withdraw(self, request, queryset):
        self.change_each(request, queryset, "Withdrawn.", self.model.withdraw)

    @confirmed_action(
        "Recall",
        RecallForm,
        danger=True,
        text=RECALL_TEXT,
        facts=holders_of,
        refusal="Nothing to recall: choose entries that were published and are not recalled yet.",
    )
    def recall(self, request, queryset, reason, successor):
        self.change_each(
            request, queryset, f"Recalled: {reason}", lambda entry: entry.recall(reason, successor)
        )

    @confirmed_action(
        "Deprecate",
        DeprecationForm,
        text="Agents can still install a deprecated entry. Its page, the lists and the agents that "
        "have it show your message and the successor.",
        facts=holders_of,
    )
    def deprecate(self, request, queryset, message, successor):
        self.change_each(
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
    def end_deprecation(self, request, queryset):
        self.change_each(request, queryset, "No longer deprecated.", self.model.end_deprecation)

    @confirmed_action(
        "Mark as checked",
        text="The public page and its card say that staff checked this version, until its text "
        "changes.",
        facts=checked_versions,
        hidden=checked_numbers,
        refusal="Nothing to mark: choose published entries that are not checked yet.",
        level=messages.INFO,
    )
    def mark_as_checked(self, request, queryset):
        def mark(entry):
            # An import may have published another version than the one that the page named.
            if request.POST.get(number_field(entry)) != str(entry.number):
                raise ValidationError("Its version is another one now. Look at it, then check it.")
            entry.mark_as_checked()

        self.change_each(request, queryset, "Marked as checked.", mark)

    @confirmed_action(
        "Take back the check",
        text="The public page no longer says that staff checked this version.",
        refusal="Nothing to take back: none of these is checked.",
        level=messages.INFO,
    )
    def take_back_check(self, request, queryset):
        self.change_each(request, queryset, "Check taken back.", self.model.take_back_check)

    def holders_of(self, entries):
        """How many agents have each entry itself, not through a persona."""
        kind = self.opts.model_name
        installs = self.model.agent_installs.rel.related_model.objects.present()
        by_entry = installs.filter(**{f"{kind}__in": entries}).order_by().values_list(kind)
        numbers = dict(by_entry.annotate(number=Count("pk")))
        return [(entry, in_agents(numbers.get(entry.pk, 0))) for entry in entries]

    def is_offered(self, action, row):
        if action == "end_deprecation":
            return row.deprecation_message != ""
        if action == "recall":
            # Nobody has seen a text that was never published, and its page would be public.
            return not row.is_recalled and row.number > 0
        if action in CHECKS:
            return row.is_published and is_checked(row) == (action == "take_back_check")
        statuses = {
            "publish": Status.PUBLISHED,
            "redraft": Status.DRAFT,
            "withdraw": Status.WITHDRAWN,
        }
        return row.status != statuses.get(action)


def in_agents(number):
    return f"{number:,} agent{pluralize(number)}"
