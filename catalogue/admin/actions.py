"""What staff do with an entry as a whole: publish, withdraw, recall, deprecate."""

from django.contrib import admin
from django.db.models import Count

from catalogue.admin.forms import DeprecationForm, RecallForm
from catalogue.models import Status
from marketplace.adminsite.base import state_label

RECALL_TEXT = (
    "What is recalled is in no list and cannot be installed any more. Whoever has it is told the "
    "reason."
)


class StateActionsMixin:
    state_actions = [*("publish", "redraft", "withdraw", "recall", "deprecate", "end_deprecation")]

    @admin.display(description="status", ordering=None)
    def state(self, entry):
        if entry.is_published and entry.deprecation_message:
            return state_label("deprecated")
        return state_label("recalled" if entry.is_recalled else entry.status)

    @admin.display(description="successor", empty_value="None")
    def replaced_by(self, entry):
        """What agents are told of; who may not see a successor is not told of it."""
        successor = entry.successor
        if successor is None or successor.is_published:
            return successor
        return f"{successor} ({successor.status}, so nobody is told of it)"

    @admin.action(description="Publish", permissions=["change"])
    def publish(self, request, queryset):
        if not self.is_confirmed(request, queryset):
            return self.confirm(
                request, queryset, "publish", text="Agents will find and install what is published."
            )
        self.change_state(request, queryset, "Published.", self.model.publish)
        return None

    @admin.action(description="Back to draft", permissions=["change"])
    def redraft(self, request, queryset):
        if not self.is_confirmed(request, queryset):
            return self.confirm(
                request,
                queryset,
                "redraft",
                text="A draft is in no list and cannot be installed. Whoever has it keeps it.",
            )
        self.change_state(request, queryset, "Taken back to draft.", self.model.redraft)
        return None

    @admin.action(description="Withdraw", permissions=["change"])
    def withdraw(self, request, queryset):
        entries = [entry for entry in queryset if self.is_offered("withdraw", entry)]
        if not entries:
            self.message_user(
                request, "None of these can be withdrawn: they are withdrawn already."
            )
            return None
        if not self.is_confirmed(request, entries):
            return self.confirm(
                request,
                entries,
                "withdraw",
                danger=True,
                text="What is withdrawn is in no list and cannot be installed any more. Whoever "
                "has it keeps it, and reads no reason. To give one, recall it.",
                facts=self.holders_of(entries),
            )
        # What is recalled stays recalled: its agents are still to read the reason.
        queryset = queryset.filter(pk__in=[entry.pk for entry in entries])
        self.change_state(request, queryset, "Withdrawn.", self.model.withdraw)
        return None

    @admin.action(description="Recall", permissions=["change"])
    def recall(self, request, queryset):
        form = RecallForm(request.POST if self.is_confirmed(request, queryset) else None)
        if not form.is_valid():
            return self.confirm(
                request,
                queryset,
                "recall",
                form=form,
                danger=True,
                text=RECALL_TEXT,
                facts=self.holders_of(queryset),
            )
        reason = form.cleaned_data["reason"]
        self.change_state(
            request, queryset, f"Recalled: {reason}", lambda entry: entry.recall(reason)
        )
        return None

    @admin.action(description="Deprecate", permissions=["change"])
    def deprecate(self, request, queryset):
        data = request.POST if self.is_confirmed(request, queryset) else None
        form = DeprecationForm(data, entries=queryset)
        if not form.is_valid():
            return self.confirm(
                request,
                queryset,
                "deprecate",
                form=form,
                text="What is deprecated can be installed still. Its page, its lists and whoever "
                "has it show the message, and what to use instead.",
                facts=self.holders_of(queryset),
            )
        message, successor = form.cleaned_data["message"], form.cleaned_data["successor"]
        self.change_state(
            request,
            queryset,
            f"Deprecated: {message}",
            lambda entry: entry.deprecate(message, successor),
        )
        return None

    @admin.action(description="End the deprecation", permissions=["change"])
    def end_deprecation(self, request, queryset):
        if not self.is_confirmed(request, queryset):
            return self.confirm(
                request,
                queryset,
                "end_deprecation",
                text="Nothing will advise against it any more.",
            )
        self.change_state(request, queryset, "Not deprecated any more.", self.model.end_deprecation)
        return None

    def holders_of(self, entries):
        """How many agents have each entry itself, not with a persona."""
        kind = self.opts.model_name
        installs = self.model.agent_installs.rel.related_model.objects.present()
        counted = installs.filter(**{f"{kind}__in": entries}).order_by().values_list(kind)
        numbers = dict(counted.annotate(number=Count("pk")))
        return [(entry, in_agents(numbers.get(entry.pk, 0))) for entry in entries]

    def change_state(self, request, queryset, message, change):
        """Change each; the history says `message`, and staff read how many and its first words."""
        entries = self.change_each(request, queryset, message, change)
        done = message.partition(":")[0].rstrip(".")
        self.message_user(request, f"{len(entries)} {done.lower()}.")

    def is_offered(self, action, row):
        if action == "end_deprecation":
            return row.deprecation_message != ""
        if action == "recall":
            return not row.is_recalled
        resulting = {
            "publish": Status.PUBLISHED,
            "redraft": Status.DRAFT,
            "withdraw": Status.WITHDRAWN,
        }
        return row.status != resulting.get(action)


def in_agents(number):
    return f"{number:,} agent{'' if number == 1 else 's'}"
