"""The desk: staff read what agents propose, and publish or reject it (contract 29.11)."""

from copy import copy
from typing import NamedTuple

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.http import QueryDict
from django.utils.html import format_html, format_html_join

from catalogue.models import Kind
from marketplace.adminsite.actions import confirmed_action, offered_to
from marketplace.adminsite.base import (
    MenuItem,
    OptionalMixin,
    ReadOnlyModelAdmin,
    WholeNameSearchMixin,
    link_to,
)
from marketplace.adminsite.notes import AssigneeFilter, NotesMixin, notes_of
from marketplace.adminsite.pages import AdminPage
from marketplace.diffs import removal
from marketplace.features import has_submissions
from submissions.admin.deciding import archive_view, decide_view, page_context
from submissions.admin.facts import (
    age_of,
    author_of,
    decision_of,
    operator_of,
    outcome_of,
    record_of,
    removed_files,
    with_facts,
)
from submissions.admin.filters import FindingFilter, StateFilter, WaitFilter, waiting_long
from submissions.admin.forms import CorrectReasonForm, RejectForm
from submissions.exceptions import AlreadyDecided
from submissions.models import Submission
from submissions.models.querysets import State

MAX_QUEUE = 2000  # submissions that "next" goes through


def has_desk():
    """Whether agents or sources may submit."""
    return has_submissions() or bool(settings.SOURCE_HOSTS)


class Neighbours(NamedTuple):
    """The pages of the pending submissions beside one, in the order of the list; or ""."""

    place: int  # of it among `number`, from 1; 0 if it is not in the list
    number: int
    previous: str
    next: str


@admin.register(Submission)
class SubmissionAdmin(OptionalMixin, NotesMixin, WholeNameSearchMixin, ReadOnlyModelAdmin):
    menu = MenuItem("Catalogue", 9, "inbox")
    list_display = ["entry", "change", "codes", "author", "operator", "age"]
    list_filter = [StateFilter, "kind", FindingFilter, WaitFilter, AssigneeFilter]
    search_fields = ["slug", "agent__handle"]
    search_help_text = "A whole slug or handle"
    empty_list = "Nothing is pending."
    ordering = ["id"]
    sortable_by = ["age"]
    fields = []
    actions = ["reject", "correct_reason", *NotesMixin.notes_actions]
    pages = [
        AdminPage("<path:object_id>/decide/", "decide", decide_view),
        AdminPage("<path:object_id>/archive/", "archive", archive_view),
    ]
    row_context = [notes_of, page_context]
    change_form_template = "admin/submissions/submission.html"

    def get_queryset(self, request):
        rows = with_facts(super().get_queryset(request)).defer("archive")
        if request.resolver_match.url_name == self.url_name("changelist"):
            rows = rows.for_list()
        authors = "agent__claim__key", "user", "source"
        return self.with_assignee(rows.select_related(*authors, "decided_by"))

    def find(self, queryset, term):
        # With the kind, an index has the slug.
        return super().find(queryset.filter(kind__in=Kind.values), term.removeprefix("@"))

    def attention(self):
        waiting = waiting_long(Submission.objects)
        return [("submissions that wait for more than three days", waiting, "?waiting=long")]

    # Permissions

    def exists(self):
        return has_desk()

    def has_note_permission(self, request):
        return self.has_act_permission(request)

    def has_reject_permission(self, request):
        return all(self.may_decide(request, kind) for kind in Kind.values)

    def may_decide(self, request, kind):
        """Whether this person may publish and reject submissions of a kind."""
        may_change = self.has_view_permission(request) and self.has_act_permission(request)
        names = [f"catalogue.add_{kind}", f"catalogue.change_{kind}"]
        return may_change and request.user.has_perms(names)

    def row_actions(self, request, row):
        """Those of the list but "Reject", for which its page has a form."""
        return [item for item in super().row_actions(request, row) if item[0] != "reject"]

    # Columns

    def entry(self, submission):
        return submission.slug if submission.kind == Kind.SKILL else f"{submission.slug} (persona)"

    @admin.display(description="changes")
    def change(self, submission):
        number = submission.base_number
        if submission.withdraws:
            return "withdrawal"
        return "new" if number is None else f"version {number}"

    @admin.display(description="findings", empty_value="none")
    def codes(self, submission):
        """The codes, whether scripts change, and which files go."""
        codes = {found["code"] for found in submission.findings}
        notes = [removal(removed_files(submission))]
        if submission.changes_scripts and submission.base_number is not None:
            codes, notes = codes - {"script"}, ["scripts change", *notes]
        badges = [("recalled", note) for note in notes if note]
        badges += [("draft", code) for code in sorted(codes)]
        return format_html_join(" ", '<span class="state state-{}">{}</span>', badges)

    def author(self, submission):
        agent, about = submission.agent, "a source" if submission.source else "on the staff"
        if agent:
            about = f"for {age_of(agent)}, {record_of(submission)}"
        return two_lines(author_of(submission), about)

    def operator(self, submission):
        return two_lines(*operator_of(submission.agent)) if submission.agent else ""

    @admin.display(ordering="id")
    def age(self, submission):
        """With its assignee; or who decided it, when and why."""
        if submission.state == State.PENDING:
            about = f"for {submission.assignee}" if submission.assignee else ""
            return two_lines(age_of(submission), about)
        return two_lines(self.state(submission), outcome_of(submission))

    # The order of the list from which a page was opened

    def neighbours(self, request, submission):
        keys = self.queue(request)
        place = keys.index(submission.pk) + 1 if submission.pk in keys else 0
        before, after = keys[: place - 1][-1:] if place else [], keys[place : place + 1]
        addresses = (self.page_of(request, keys[0]) if keys else "" for keys in (before, after))
        return Neighbours(place, len(keys), *addresses)

    def queue(self, request):
        """The keys of the pending submissions in this list, in its order."""
        listed = copy(request)
        listed.GET = QueryDict(request.GET.get("_changelist_filters", ""))
        try:
            rows = self.get_changelist_instance(listed).queryset
        except IncorrectLookupParameters:
            rows = Submission.objects.order_by("id")
        rows = rows.filter(state=State.PENDING)
        return list(rows.values_list("pk", flat=True)[:MAX_QUEUE])

    def page_of(self, request, pk):
        return f"{self.url_of('change', pk)}?{self.get_preserved_filters(request)}"

    def list_address(self, request):
        filters = request.GET.get("_changelist_filters", "")
        return f"{self.url_of('changelist')}?{filters}"

    # Rejecting several at once. There is no publishing of several.

    @confirmed_action(
        "Reject",
        RejectForm,
        permissions=["reject"],
        danger=True,
        text="Each author reads your reason. The texts are deleted after 30 days.",
        refusal="Nothing to reject: all of these are decided.",
    )
    @offered_to(lambda submission: submission.state == State.PENDING)
    def reject(self, request, queryset, reason):
        rejected = []
        for submission in queryset.order_by("pk"):
            try:
                self.reject_one(request, submission, reason)
            except AlreadyDecided:
                self.message_user(request, decision_of(submission), messages.WARNING)
            else:
                rejected.append(submission)
        self.tell(request, "Rejected", rejected)

    @confirmed_action("Correct the reason", CorrectReasonForm, permissions=["reject"])
    @offered_to(lambda submission: submission.state == State.REJECTED)
    def correct_reason(self, request, queryset, reason):
        message = f"Corrected the reason: {reason}"
        self.change_each(request, queryset, message, lambda row: row.correct_reason(reason))

    def reject_one(self, request, submission, reason):
        """Raises AlreadyDecided."""
        with self.logged_change(request, submission, f"Rejected: {reason}"):
            submission.reject(reason, request.user)

    def tell_decision(self, request, submission):
        links = [(self.url_of("change", submission.pk), "the submission")]
        if submission.state == State.PUBLISHED:
            entry = submission.model.objects.only("pk").get(slug=submission.slug)
            address = link_to(request, f"catalogue.{entry.kind}", entry.pk)
            links.insert(0, (address, f"the {entry.kind}"))
        joined = format_html_join(" or ", '<a class="underline" href="{}">{}</a>', links)
        text = format_html("{} Open {}.", decision_of(submission), joined)
        self.message_user(request, text, messages.SUCCESS)


def two_lines(first, second):
    """A cell with a note below its text."""
    note = format_html('<br><span class="staff-note">{}</span>', second) if second else ""
    return format_html("{}{}", first, note)
