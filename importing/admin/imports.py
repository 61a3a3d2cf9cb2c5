"""Importing an upload after a preview, and exporting."""

from contextlib import contextmanager, suppress
from datetime import timedelta
from tempfile import TemporaryFile

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join

from catalogue.frontmatter import Refused
from importing import zips
from importing.admin.uploads import UploadForm
from importing.exports import export
from importing.models import ImportRun
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin, StaffModelAdmin
from marketplace.adminsite.edits import moment

MAX_REFUSALS = 50  # that an import run stores
MAX_ENTRIES = 200  # the same
RESULTS = ["refused", "created", "updated", "unchanged"]


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
        # A preview expires after a day.
        ImportRun.objects.filter(
            finished_at=None, created_at__lt=timezone.now() - timedelta(days=1)
        ).update(data=None, finished_at=timezone.now())
        try:
            with zips.unpacked(run.name, run.data, self.importer_class(preview=True)):
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
        run = get_object_or_404(ImportRun, pk=run_id, kind=self.opts.model_name)
        if run.finished_at:
            raise Http404
        is_preview, now = request.method != "POST", timezone.now()
        if run.data is None or not (is_preview or self.claim(run)):
            text = "This upload is already being imported, or it was discarded."
            self.message_user(request, text, messages.WARNING)
            return redirect("admin:importing_importrun_change", run.pk)
        if "cancel" in request.POST:
            run.delete()
            return redirect(self.url_of("import"))
        importer = self.importer_class(preview=is_preview, draft=run.draft)
        with suppress(KeyError, ValueError):
            importer.previewed_at = moment(request.POST["opened_at"])
        if is_preview:
            return self.preview_response(request, run, self.outcomes_of(run, importer), now)
        with self.kept_if_it_fails(run):
            self.finish(request, run, self.outcomes_of(run, importer))
        return redirect("admin:importing_importrun_change", run.pk)

    def claim(self, run):
        """Take the upload from the run: of several requests, one imports or discards it."""
        return ImportRun.objects.filter(pk=run.pk, data__isnull=False).update(data=None)

    @contextmanager
    def kept_if_it_fails(self, run):
        """Give the run its upload back after an error, so that staff can try again."""
        data = run.data
        try:
            yield
        except Exception:
            ImportRun.objects.filter(pk=run.pk, finished_at=None).update(data=data)
            raise

    def outcomes_of(self, run, importer):
        with zips.unpacked(run.name, bytes(run.data), importer) as root:
            return importer.run(root)

    def preview_response(self, request, run, outcomes, opened_at):
        by_result = {
            result: [outcome for outcome in outcomes if outcome.result == result]
            for result in RESULTS
        }
        return self.page(
            request,
            "admin/importing/preview.html",
            f"Preview of {run.name}",
            outcomes=by_result,
            opened_at=opened_at.timestamp(),
            will_change=bool(by_result["created"] or by_result["updated"]),
        )

    def finish(self, request, run, outcomes):
        """Log what was imported, and store the result in the run."""
        message = f"Imported from {run.name}."
        for outcome in outcomes:
            if outcome.result == "created":
                self.log_addition(request, outcome.entry, message)
            if outcome.result == "updated":
                self.log_change(request, outcome.entry, message)
        refusals = [outcome for outcome in outcomes if outcome.result == "refused"]
        results = [outcome.result for outcome in outcomes]
        for result in RESULTS:
            setattr(run, result, results.count(result))
        run.refusals = [[refusal.path, refusal.reason] for refusal in refusals[:MAX_REFUSALS]]
        run.entries = [
            [outcome.entry.pk, outcome.entry.slug, outcome.result]
            for outcome in outcomes
            if outcome.result in {"created", "updated"}
        ][:MAX_ENTRIES]
        run.finished_at = timezone.now()
        run.save(update_fields=[*RESULTS, "refusals", "entries", "finished_at"])


@admin.register(ImportRun)
class ImportRunAdmin(ReadOnlyModelAdmin):
    menu = MenuItem("Catalogue", 12, "upload")
    list_display = ["name", "kind", "user", "created_at", "outcome"]
    search_fields = ["name"]  # see `find`
    search_help_text = "Start of a file's name"
    list_select_related = ["user"]
    list_filter = ["kind"]
    fields = readonly_fields = [
        *("name", "kind", "user", "created_at", "finished_at", "draft"),
        *("created", "updated", "unchanged", "refused", "imported_entries", "refused_files"),
    ]

    def get_queryset(self, request):
        return super().get_queryset(request).defer("data").annotate(has_data=Q(data__isnull=False))

    def find(self, queryset, term):
        return queryset.filter(name__istartswith=term)

    def attention(self):
        week = timezone.now() - timedelta(days=7)
        runs = ImportRun.objects.filter(refused__gt=0, created_at__gte=week)
        return [("imports with refused files this week", runs, "")]

    def outcome(self, run):
        if run.finished_at is None:
            return "previewed, not imported" if run.has_data else "started, not finished"
        return (
            f"{run.created} created, {run.updated} updated, {run.unchanged} unchanged, "
            f"{run.refused} refused"
        )

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
