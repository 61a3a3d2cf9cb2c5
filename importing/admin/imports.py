"""Importing an upload after a preview, and exporting."""

from contextlib import suppress
from datetime import timedelta
from functools import partial
from tempfile import TemporaryFile

from django.contrib import admin, messages
from django.db.models import Q
from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.html import format_html

from audit.models import MAX_NAMES, AuditEvent
from catalogue.admin.actions import count_holders, get_it
from catalogue.frontmatter import Refused
from importing import exports, zips
from importing.admin.runs import entry_links
from importing.admin.uploads import UploadForm
from importing.confirmed import IMPORTERS
from importing.models import IS_ACTIVE, RESULTS, ImportRun, Overtaken
from marketplace.adminsite.actions import NAMED
from marketplace.adminsite.edits import moment
from marketplace.adminsite.pages import AdminPage

MAX_ENTRIES = 100  # whose texts a preview shows


@admin.action(description="Export as files", permissions=["view"])
def export(_admin, _request, queryset):
    return zip_of(queryset)


def export_view(model_admin, request):
    return zip_of(model_admin.model.objects.all())


def zip_of(entries):
    file = TemporaryFile()  # noqa: SIM115 (the response closes it)
    exports.export(entries, file)
    file.seek(0)
    record_export(entries)
    name = f"{entries.model.kind}s-{timezone.now():%Y-%m-%d}.zip"
    return FileResponse(file, as_attachment=True, filename=name)


def record_export(entries):
    slugs = entries.order_by("pk").values_list("slug", flat=True)
    names, kind = slugs[:MAX_NAMES], entries.model.kind
    AuditEvent.objects.record("export", kind=kind, names=names, count=slugs.count())


def import_view(model_admin, request):
    """Take an upload, and redirect to its preview."""
    is_sent = request.method == "POST"
    form = UploadForm(*([request.POST, request.FILES] if is_sent else []))
    if form.is_valid() and (run := save_upload(model_admin, request, form)):
        return redirect(model_admin.url_of("import_run", run.pk))
    return model_admin.page(
        request,
        "admin/importing/upload.html",
        f"Import {model_admin.opts.verbose_name_plural}",
        form=form,
        example=IMPORTERS[model_admin.model].example,
    )


def save_upload(model_admin, request, form):
    """The import run of an upload, or None if the whole upload is refused."""
    name, file = form.name_and_file()
    run = ImportRun(
        kind=model_admin.opts.model_name,
        name=name[-200:],
        draft=True,  # unless somebody who has read the preview chooses to publish all
        user=request.user,
    )
    # A preview expires after a day, and so does an interrupted import.
    day_ago = timezone.now() - timedelta(days=1)
    expired = ImportRun.objects.filter(finished_at=None, created_at__lt=day_ago)
    expired = expired.exclude(confirmed_at__gte=day_ago)
    expired.update(data=None, finished_at=timezone.now())
    with file:
        try:
            with zips.unpacked(run.name, file, IMPORTERS[model_admin.model]()):
                pass
        except Refused as error:
            run.finished_at = timezone.now()
            run.refused, run.refusals = 1, [[run.name, str(error)]]
            run.save()
            form.add_error("file", str(error))
            return None
        run.save_with(file)
    return run


def import_run_view(model_admin, request, run_id):
    """The preview of an upload; posted, the import of it."""
    has_data = Q(data__isnull=False)
    runs = ImportRun.objects.defer("data").annotate(is_active=IS_ACTIVE, has_data=has_data)
    run = get_object_or_404(runs, pk=run_id, kind=model_admin.opts.model_name)
    if run.finished_at:
        raise Http404
    try:
        if request.method == "POST":
            return import_or_discard(model_admin, request, run)
        return preview_response(model_admin, request, run, timezone.now())
    except Overtaken:
        text = "This upload is already being imported, or it was discarded."
        model_admin.message_user(request, text, messages.WARNING)
    except Refused as error:  # by a limit of a newer release than the one that took the upload
        model_admin.message_user(request, str(error), messages.ERROR)
    return redirect("admin:importing_importrun_change", run.pk)


def import_or_discard(model_admin, request, run):
    """Raises Overtaken if another request imports the upload, or Refused."""
    is_discarded = "cancel" in request.POST
    if not (run.discard() if is_discarded else run.claim()):
        raise Overtaken
    if is_discarded:
        return redirect(model_admin.url_of("import"))
    run.publish_all("all" in request.POST)
    importer = IMPORTERS[model_admin.model](
        preview=False,
        record=partial(record, model_admin, request, run),
        draft=run.draft,
        ticked=request.POST.getlist("ticked"),
        published=request.POST.getlist("published"),
    )
    with suppress(KeyError, ValueError):
        importer.previewed_at = moment(request.POST["opened_at"])
    try:
        outcomes = outcomes_of(run, importer)
        run.finish()
    except Exception:
        run.release()
        raise
    tell_result(model_admin, request, run, outcomes)
    return redirect("admin:importing_importrun_change", run.pk)


def tell_result(model_admin, request, run, outcomes):
    """Say what the import did, with links to the first of its entries."""
    counts = ", ".join(f"{getattr(run, result)} {result}" for result in RESULTS)
    links = entry_links(run, run.entries[:NAMED])
    left = [outcome.entry.slug for outcome in outcomes if outcome.is_left]
    text = format_html("Imported {}: {}. {}", run.name, counts, links)
    if left:
        more = f" and {len(left) - NAMED:,} more" if len(left) > NAMED else ""
        reason = "Left as published, because you did not tick them: {}{}."
        text = format_html(f"{{}} {reason}", text, ", ".join(left[:NAMED]), more)
    level = messages.WARNING if run.refused or left else messages.SUCCESS
    model_admin.message_user(request, text, level)


def record(model_admin, request, run, outcome):
    """Log what was imported, in its transaction: a process may be killed after any file."""
    message = f"Imported from {run.name}."
    if outcome.result == "created":
        model_admin.log_addition(request, outcome.entry, message)
    if outcome.result == "updated":
        model_admin.log_change(request, outcome.entry, message)
    run.count(outcome)


def outcomes_of(run, importer):
    with TemporaryFile() as file:
        run.write_data(file)
        with zips.unpacked(run.name, file, importer) as root:
            return importer.run(root)


def preview_response(model_admin, request, run, opened_at):
    """Raises Overtaken if the upload is being imported, or Refused."""
    if run.is_active or not run.has_data:
        raise Overtaken
    by_result = {result: [] for result in RESULTS}
    importer = IMPORTERS[model_admin.model](draft=True)
    for outcome in outcomes_of(run, importer):
        by_result[outcome.result].append(outcome)
    for entry in count_holders([outcome.entry for outcome in by_result["updated"]]):
        entry.getting = get_it(entry)
    return model_admin.page(
        request,
        "admin/importing/preview.html",
        f"Preview of {run.name}",
        run=run,
        outcomes=by_result,
        max_entries=MAX_ENTRIES,
        left_out=[(importer.display_path(path), reason) for path, reason in importer.left_out],
        opened_at=opened_at.timestamp(),
        # The last file may have been the last thing that an interrupted import did.
        may_import=by_result["created"]
        or by_result["updated"]
        or any(outcome.is_doubtful for outcome in by_result["refused"])
        or run.confirmed_at,
    )


MAY_IMPORT = ("add", "change")
PAGES = [
    AdminPage("import/", "import", import_view, MAY_IMPORT, button="Import"),
    AdminPage("import/<int:run_id>/", "import_run", import_run_view, MAY_IMPORT),
    AdminPage("export/", "export", export_view, button="Export all"),
]
