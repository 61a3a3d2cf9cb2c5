"""Sources: the repositories that the catalogue follows (contract 30)."""

from hashlib import sha256

from django import forms
from django.contrib import admin
from django.template.defaultfilters import timesince
from django.utils import timezone

from marketplace.adminsite.actions import ActionForm, confirmed_action, offered_to
from marketplace.adminsite.base import MenuItem, StaffModelAdmin, link_to
from marketplace.adminsite.panels import panel
from sources.models import Source, SourceFile, SourceState
from submissions.models import Submission
from submissions.publishing import MOVED


class ConfirmWithdrawalsForm(ActionForm):
    """Confirms the withdrawals that its page showed, and no others."""

    shown = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, data, rows, **options):
        super().__init__(data, rows, **options)
        self.keys = sorted(row.pk for row in unconfirmed(rows))
        self.current = sha256(repr(self.keys).encode()).hexdigest()
        self.fields["shown"].initial = self.current

    def clean(self):
        if self.cleaned_data.get("shown") != self.current:
            self.data = self.data | {"shown": self.current}
            raise forms.ValidationError(MOVED)
        self.cleaned_data["shown"] = self.keys


def unconfirmed(sources):
    return SourceFile.objects.filter(source__in=sources).unconfirmed()


def page_context(_model_admin, _request, source):
    entries = [(entry, row.path) for row, entry in unconfirmed([source]).items()]
    return {"facts": list(facts_of(source)), "unconfirmed": entries}


def facts_of(source):
    """The findings of the last run, as (label, value)."""
    yield "Last run", ago(source.synced_at) if source.synced_at else "none yet"
    if source.synced_at:
        yield "Commit", source.commit
        found = (f"{place}: {number:,}" for place, number in source.layouts.items())
        yield "Found", ", ".join(found) or "nothing"
        yield "Entries", source.counts_in_words or "none"
    if source.rewritten_at:
        yield "History", f"rewritten, {ago(source.rewritten_at)}: this commit replaces others"
    if not source.is_paused:
        is_soon = source.soon or source.due_at <= timezone.now()
        yield "Next run", "soon" if is_soon else f"{source.due_at:%H:%M on %d %b %Y}"


def ago(moment):
    return f"{timesince(moment, depth=1)} ago"


def pending_panel(_model_admin, request, source):
    pending = Submission.objects.pending().filter(source=source).for_list()

    def line(submission):
        address = link_to(request, "submissions.submission", submission.pk)
        return f"{submission.kind} {submission.slug}", submission.path, address

    return panel("On the desk", pending, line)


@admin.register(Source)
class SourceAdmin(StaffModelAdmin):
    menu = MenuItem("Catalogue", 13, "sync")
    list_display = [
        "name",
        "url",
        "ref",
        "reviewed",
        "state_now",
        "synced_at",
        "entries",
        "problems",
    ]
    list_filter = ["state"]
    search_fields = ["name"]  # see `find`
    search_help_text = "A whole name"
    fieldsets = [
        (None, {"fields": ["name", "url", "ref", "token_variable"]}),
        ("Entries", {"fields": ["kind", "folder", "review", "wait_hours", "every_minutes"]}),
    ]
    recorded_fields = [name for _, options in fieldsets for name in options["fields"]]
    actions = ["sync_soon", "confirm_withdrawals", "pause", "resume"]
    row_context = [page_context]
    panels = [pending_panel]
    change_form_template = "admin/sources/source.html"

    def find(self, queryset, term):
        return queryset.filter(name=term.lower())

    def attention(self):
        failing = Source.objects.filter(state=SourceState.FAILING)
        return [("sources that fail", failing, "?state__exact=failing")]

    def save_model(self, request, obj, form, change):
        if not change:
            obj.save()
        elif form.changed_data:
            obj.change(**{name: getattr(obj, name) for name in form.changed_data})

    def has_delete_permission(self, request, obj=None):
        """Nobody may: its entries and the commits of their versions refer to it."""
        return False

    def has_confirm_permission(self, request):
        """Whether this person may confirm withdrawals: no permission is enough."""
        return request.user.is_superuser

    # Columns

    @admin.display(description="review")
    def reviewed(self, source):
        return source.review

    @admin.display(description="state")
    def state_now(self, source):
        return self.state(source)

    def entries(self, source):
        return source.counts_in_words or "none"

    @admin.display(description="findings")
    def problems(self, source):
        return source.counts.get("findings", 0)

    # Actions

    @confirmed_action("Sync soon", text="The clock process fetches it within seconds.")
    @offered_to(lambda source: not (source.is_paused or source.soon))
    def sync_soon(self, request, queryset):
        self.change_each(request, queryset, "Requested a run.", Source.request_run)

    @confirmed_action(
        "Pause", text="Its entries stay as they are, and nobody fetches it until you resume it."
    )
    @offered_to(lambda source: not source.is_paused)
    def pause(self, request, queryset):
        self.change_each(request, queryset, "Paused.", Source.pause)

    @confirmed_action("Resume", text="The clock process fetches it within seconds.")
    @offered_to(lambda source: source.is_paused)
    def resume(self, request, queryset):
        self.change_each(request, queryset, "Resumed.", Source.resume)

    @confirmed_action(
        "Confirm withdrawals",
        ConfirmWithdrawalsForm,
        permissions=["confirm"],
        danger=True,
        text="Their files are gone from the repository. The next run withdraws these entries, or "
        "proposes that where staff review here. One whose file is back by then stays.",
        facts=lambda _admin, rows: [(entry, row.path) for row, entry in unconfirmed(rows).items()],
    )
    @offered_to(lambda source: source.state == SourceState.FAILING and bool(unconfirmed([source])))
    def confirm_withdrawals(self, request, queryset, shown):
        def confirm(source):
            rows = SourceFile.objects.filter(source=source, pk__in=shown, bytes_digest="")
            rows.update(is_confirmed=True)
            source.request_run()

        self.change_each(request, queryset, "Confirmed the withdrawals.", confirm)
