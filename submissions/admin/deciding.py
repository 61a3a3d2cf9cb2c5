"""The page of a submission: what publishing it changes, and the decision."""

from copy import copy
from tempfile import TemporaryFile

from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import FileResponse, Http404
from django.shortcuts import redirect
from django.template.defaultfilters import truncatechars
from django.utils import timezone

from audit.models import AuditEvent
from catalogue.comparisons import file_changes
from catalogue.findings import Finding
from catalogue.frontmatter import Refused
from catalogue.models import Status
from importing.exports import as_file
from marketplace.adminsite.base import link_to
from marketplace.adminsite.edits import moment
from marketplace.adminsite.panels import panel
from marketplace.diffs import Comparison, change_of
from submissions.admin.facts import decision_of, facts_of, heading_of
from submissions.admin.forms import RejectForm
from submissions.exceptions import AlreadyDecided
from submissions.models import Submission
from submissions.models.querysets import State
from submissions.publishing import MOVED, Approval, check_entry, preview, publish

UNSENT = "Nothing was published: you have written a reason. Reject with it, or delete it."

# The page


def page_context(model_admin, request, submission):
    opened_at = timezone.now().timestamp()
    entry = submission.entry_in(submission.model.objects)
    beside = model_admin.neighbours(request, submission)
    context = {
        "beside": beside,
        "list_address": model_admin.list_address(request),
        "heading": heading_of(submission, entry),
        "facts": [*facts_of(request, submission, entry)],
        "entry": entry,
        "entry_link": entry and link_to(request, f"catalogue.{entry.kind}", entry.pk),
        "panels": [earlier_panel(model_admin, request, submission)],
        "decide_address": f"{model_admin.url_of('decide', submission.pk)}"
        f"?{model_admin.get_preserved_filters(request)}",
    }
    if submission.state != State.PENDING:
        return context | decided_context(model_admin, submission, entry)
    return context | {
        "may_decide": model_admin.may_decide(request, submission.kind),
        "reject_form": RejectForm(None, [submission]),
        "opened_at": opened_at,
        **preview_context(submission, entry),
    }


def preview_context(submission, entry):
    """The changes that publishing it would make now, or the obstacle."""
    context = {"number": entry.number if entry else ""}
    if submission.withdraws:
        return context
    try:
        outcome = preview(submission)
        context |= {"outcome": outcome, "findings_digest": outcome.findings_digest}
        outcome.findings = [*findings_when_sent(submission), *outcome.findings]
        check_entry(submission, entry, ends_recall=False)
    except Refused as error:
        may_end_recall = entry is not None and entry.status == Status.WITHDRAWN
        return context | {"obstacle": str(error), "may_end_recall": may_end_recall}
    is_refused = outcome.result == "refused" or outcome.is_doubtful
    return context | {"obstacle": outcome.reason if is_refused else ""}


def findings_when_sent(submission):
    """The findings that only its arrival could tell: that it was outdated."""
    return [Finding(**found) for found in submission.findings if found["code"] == "outdated"]


def decided_context(model_admin, submission, entry):
    """The decision, and its version or the rejected changes, as far as they are kept."""
    context = {"decision": decision_of(submission)}
    if entry and submission.number:
        pages = model_admin.admin_site.get_model_admin(submission.model)
        number = submission.number
        if number == 1:
            return context | {"version_address": pages.url_of("version", entry.pk, number)}
        address = f"{pages.url_of('compare', entry.pk)}?from={number - 1}&to={number}"
        return context | {"version_address": address}
    if submission.state == State.REJECTED and submission.content:
        return context | {"changes": changes_of(submission, entry)}
    return context


def changes_of(submission, entry):
    """The changes that a text would make now, without the lines of its files."""
    comparison, files = Comparison(), getattr(entry, "files", [])
    before = as_file(entry) if entry else ""
    text = change_of(submission.file_name, before, submission.content, comparison)
    return [text, *file_changes(files, submission.files, 0, comparison)[0]]


def earlier_panel(_model_admin, request, submission):
    same = Submission.objects.filter(kind=submission.kind, slug=submission.slug)
    same = same.exclude(pk=submission.pk).for_list().select_related("agent", "user", "source")

    def line(other):
        when = f"on {other.decided_at:%d %b %Y}" if other.decided_at else ""
        when = when or f"submitted on {other.created_at:%d %b %Y}"
        text = f"{other.author}: {other.state}, {when}"
        reason = truncatechars(other.reason, 200)
        return text, reason, link_to(request, "submissions.submission", other.pk)

    return panel("Other submissions of this entry", same, line)


def archive_view(model_admin, request, object_id):
    """A skill's folder as a zip, for files that a page cannot show."""
    submission = model_admin.get_row_or_404(request, object_id)
    if not submission.files:
        raise Http404
    file = TemporaryFile()  # noqa: SIM115 (the response closes it)
    submission.write_archive(file)
    file.seek(0)
    AuditEvent.objects.record("export", submission)
    return FileResponse(file, as_attachment=True, filename=f"{submission.slug}.zip")


# The decision

ENDS_RECALL = {"publish": False, "publish_and_end_recall": True}  # by the value of the button


def decide_view(model_admin, request, object_id):
    """Publish or reject one, then lead to the next pending one of the list."""
    submission = model_admin.get_row_or_404(request, object_id)
    if request.method != "POST":  # the address of a refused form, opened again
        return redirect(model_admin.page_of(request, submission.pk))
    if not model_admin.may_decide(request, submission.kind):
        raise PermissionDenied
    beside = model_admin.neighbours(request, submission)
    form = RejectForm(request.POST, [submission])
    is_rejected = request.POST.get("decision") == "reject"
    has_reason = any(form.data.get(name, "").strip() for name in ("reason", "earlier"))
    if not is_rejected and form.is_valid():
        form.add_error("reason", UNSENT)
    if not form.is_valid() and (is_rejected or has_reason):
        return page_again(model_admin, request, submission, form)
    try:
        if is_rejected:
            model_admin.reject_one(request, submission, form.cleaned_data["reason"])
        else:
            publish_shown(model_admin, request, submission, approval_of(request))
    except AlreadyDecided:
        model_admin.message_user(request, decision_of(submission), messages.WARNING)
    except (Refused, ValidationError) as error:
        reason = " ".join(getattr(error, "messages", [str(error)]))
        model_admin.message_user(request, f"Nothing was published: {reason}", messages.ERROR)
    else:
        model_admin.tell_decision(request, submission)
        return redirect(beside.next or model_admin.list_address(request))
    return redirect(model_admin.page_of(request, submission.pk))


def publish_shown(model_admin, request, submission, approval):
    """Publish what the page showed. Raises as `publish` does."""
    with transaction.atomic():
        entry = publish(submission, approval)
        word = "Approved" if submission.withdraws else "Published"
        message = f"{word} the submission of {submission.author}."
        entry_admin = model_admin.admin_site.get_model_admin(submission.model)
        if approval.number is None:
            entry_admin.log_addition(request, entry, message)
        else:
            entry_admin.log_change(request, entry, message, is_event=True)
        model_admin.log_change(request, submission, message)


def approval_of(request):
    """Raises Refused if the form does not say what its page showed."""
    try:
        return Approval(
            user=request.user,
            bytes_digest=request.POST["bytes_digest"],
            number=int(request.POST["number"]) if request.POST["number"] else None,
            opened_at=moment(request.POST["opened_at"]),
            findings=request.POST["findings"],
            ends_recall=ENDS_RECALL[request.POST["decision"]],
            with_doubts="ticked" in request.POST,
        )
    except (KeyError, ValueError) as error:
        raise Refused(MOVED) from error


def page_again(model_admin, request, submission, form):
    """The page with what was typed into its form."""
    shown = copy(request)
    shown.method = "GET"
    return model_admin.change_view(shown, str(submission.pk), extra_context={"reject_form": form})
