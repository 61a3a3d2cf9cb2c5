"""Importing an upload after a preview, and exporting."""

from contextlib import suppress
from datetime import timedelta
from functools import partial
from tempfile import TemporaryFile

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from catalogue.frontmatter import Refused
from importing import zips
from importing.admin.uploads import UploadForm
from importing.exports import export
from importing.models import IS_ACTIVE, RESULTS, ImportRun, Overtaken
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin, StaffModelAdmin
from marketplace.adminsite.edits import moment


class ImportExportModelAdmin(StaffModelAdmin):
    """Entries that staff can import from files, and export as files."""

    importer_class = None
    example = ""

    def get_urls(self):
        return [
            self.page_path("import/", self.import_view, "import"),
            self.page_path("import/<int:run_id>/", self.import_run_view, "import_run"),
            self.page_path("export/", self.export_view, "export"),
            *super().get_urls(),
        ]

    @admin.action(description="Export as files", permissions=["view"])
    def export(self, request, queryset):
        return self.zip_of(queryset)

    def export_view(self, request):
        if not self.has_view_permission(request):
            raise PermissionDenied
        return self.zip_of(self.model.objects.all())

    def zip_of(self, entries):
        file = TemporaryFile()  # noqa: SIM115 (the response closes it)
        export(entries, file)
        file.seek(0)
        name = f"{self.opts.model_name}s-{timezone.now():%Y-%m-%d}.zip"
        return FileResponse(file, as_attachment=True, filename=name)

    def import_view(self, request):
        """Take an upload, and redirect to its preview."""
        self.check_import_permission(request)
        is_sent = request.method == "POST"
        form = UploadForm(*([request.POST, request.FILES] if is_sent else []))
        if form.is_valid() and (run := self.save_upload(request, form)):
            return redirect(self.url_of("import_run", run.pk))
        title, template = f"Import {self.opts.verbose_name_plural}", "admin/importing/upload.html"
        return self.page(request, template, title, form=form, example=self.example)

    def check_import_permission(self, request):
        if not (self.has_add_permission(request) and self.has_change_permission(request)):
            raise PermissionDenied

    def save_upload(self, request, form):
        """The import run of an upload, or None if the whole upload is refused."""
        name, data = form.name_and_data()
        run = ImportRun(
            kind=self.opts.model_name,
            name=name[-200:],
            data=data,
            draft=form.cleaned_data["draft"],
            user=request.user,
        )
        # A preview expires after a day, and so does an interrupted import.
        day_ago = timezone.now() - timedelta(days=1)
        expired = ImportRun.objects.filter(finished_at=None, created_at__lt=day_ago)
        expired = expired.exclude(confirmed_at__gte=day_ago)
        expired.update(data=None, finished_at=timezone.now())
        try:
            with zips.unpacked(run.name, run.data, self.importer_class()):
                pass
        except Refused as error:
            run.data, run.finished_at = None, timezone.now()
            run.refused, run.refusals = 1, [[run.name, str(error)]]
            form.add_error("file", str(error))
        run.save()
        return run if form.is_valid() else None

    def import_run_view(self, request, run_id):
        """The preview of an upload; posted, the import of it."""
        self.check_import_permission(request)
        runs = ImportRun.objects.annotate(is_active=IS_ACTIVE)
        run = get_object_or_404(runs, pk=run_id, kind=self.opts.model_name)
        if run.finished_at:
            raise Http404
        try:
            if request.method == "POST":
                return self.import_or_discard(request, run)
            return self.preview_response(request, run, timezone.now())
        except Overtaken:
            text = "This upload is already being imported, or it was discarded."
            self.message_user(request, text, messages.WARNING)
        except Refused as error:  # by a limit of a newer release than the one that took the upload
            self.message_user(request, str(error), messages.ERROR)
        return redirect("admin:importing_importrun_change", run.pk)

    def import_or_discard(self, request, run):
        """Raises Overtaken if another request imports the upload, or Refused."""
        is_discarded = "cancel" in request.POST
        if not (run.discard() if is_discarded else run.claim()):
            raise Overtaken
        if is_discarded:
            return redirect(self.url_of("import"))
        importer = self.importer_class(record=partial(self.record, request, run), draft=run.draft)
        with suppress(KeyError, ValueError):
            importer.previewed_at = moment(request.POST["opened_at"])
        try:
            self.outcomes_of(run, importer)
            run.finish()
        except Exception:
            run.release()
            raise
        return redirect("admin:importing_importrun_change", run.pk)

    def record(self, request, run, outcome):
        """Log what was imported, in its transaction: a process may be killed after any file."""
        message = f"Imported from {run.name}."
        if outcome.result == "created":
            self.log_addition(request, outcome.entry, message)
        if outcome.result == "updated":
            self.log_change(request, outcome.entry, message)
        run.count(outcome)

    def outcomes_of(self, run, importer):
        with zips.unpacked(run.name, bytes(run.data), importer) as root:
            return importer.run(root)

    def preview_response(self, request, run, opened_at):
        """Raises Overtaken if the upload is being imported, or Refused."""
        if run.is_active or run.data is None:
            raise Overtaken
        by_result = {result: [] for result in RESULTS}
        for outcome in self.outcomes_of(run, self.importer_class(draft=run.draft)):
            by_result[outcome.result].append(outcome)
        return self.page(
            request,
            "admin/importing/preview.html",
            f"Preview of {run.name}",
            run=run,
            outcomes=by_result,
            opened_at=opened_at.timestamp(),
            # The last file may have been the last thing that an interrupted import did.
            may_import=by_result["created"] or by_result["updated"] or run.confirmed_at,
        )


@admin.register(ImportRun)
class ImportRunAdmin(ReadOnlyModelAdmin):
    menu = MenuItem("Catalogue", 12, "upload")
    list_display = ["name", "kind", "user", "created_at", "outcome"]
    search_fields = ["name"]  # see `find`
    search_help_text = "Start of a file's name"
    list_select_related = ["user"]
    list_filter = ["kind"]
    fields = readonly_fields = [
        *("name", "kind", "user", "outcome", "created_at", "finished_at", "draft"),
        *("created", "updated", "unchanged", "refused", "imported_entries", "refused_files"),
    ]

    def get_queryset(self, request):
        runs = super().get_queryset(request).defer("data")
        return runs.annotate(has_data=Q(data__isnull=False), is_active=IS_ACTIVE)

    def find(self, queryset, term):
        return queryset.filter(name__istartswith=term)

    def attention(self):
        week = timezone.now() - timedelta(days=7)
        runs = ImportRun.objects.filter(refused__gt=0, created_at__gte=week)
        return [("imports with refused files this week", runs, "")]

    def outcome(self, run):
        if run.finished_at:
            return ", ".join(f"{getattr(run, result)} {result}" for result in RESULTS)
        if run.is_active:
            return "importing now"
        if not run.has_data:
            return "interrupted"
        state = "interrupted: confirm again" if run.confirmed_at else "previewed, not imported"
        preview = reverse(f"admin:catalogue_{run.kind}_import_run", args=[run.pk])
        return format_html('<a href="{}">{}</a>', preview, state)

    def imported_entries(self, run):
        pages = f"admin:catalogue_{run.kind}_change"
        links = format_html_join(
            ", ",
            '<a href="{}">{}</a> ({})',
            ((reverse(pages, args=[pk]), slug, result) for pk, slug, result in run.entries),
        )
        return links or "none"

    def refused_files(self, run):
        return "\n".join(f"{path}: {reason}" for path, reason in run.refusals) or "none"
