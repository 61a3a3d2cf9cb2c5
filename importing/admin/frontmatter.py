"""Between the form of an entry and the frontmatter of its text."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import JsonResponse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST

from catalogue.admin.findings import FindingsForm, new_findings, with_values
from catalogue.frontmatter import Refused, plain_newlines
from importing.confirmed import IMPORTERS
from importing.exports import differing_fields, with_fields
from marketplace.adminsite.actions import confirmed_action, offered_to
from marketplace.adminsite.pages import AdminPage
from marketplace.diffs import change_of

HOLDERS = {"skill": "content", "persona": "frontmatter"}  # the fields with the frontmatter


@method_decorator(require_POST)
def fields_view(model_admin, request):
    """The fields of a pasted file as the form shows them, and what remains of its text."""
    try:
        text = plain_newlines(request.POST.get("content", ""))
        values = IMPORTERS[model_admin.model]().pasted(text)
    except Refused as error:
        return JsonResponse({"error": f"No field was filled: {error}."}, status=400)
    content, fields = values.pop("content"), model_admin.get_form(request)().fields
    form_values = {
        name: [[row.pk, str(row)] for row in value]
        if isinstance(value, QuerySet)
        else str(fields[name].prepare_value(value))
        for name, value in values.items()
    }
    return JsonResponse({"fields": form_values, "content": content})


def differing(entry):
    """The labels of the fields that differ from the frontmatter."""
    return [str(entry._meta.get_field(name).verbose_name) for name in differing_fields(entry)]


def differences(_admin, _request, entry):
    """Where the fields of an entry and its frontmatter differ, for its page."""
    return {"differing": differing(entry)}


class WrittenForm(FindingsForm):
    """Shows what the fields bring into the files."""

    def findings_of(self, row):
        written = with_values(row, {HOLDERS[row.kind]: with_fields(row)})
        return new_findings(written.inspect(), row.inspect())


@confirmed_action(
    "Write the fields into the frontmatter",
    WrittenForm,
    text="The frontmatter gets the values of these fields. The rest of the text does not change.",
    facts=lambda _, entries: [(entry, ", ".join(differing(entry))) for entry in entries],
    changes=lambda _, entries: [
        change_of(entry.slug, getattr(entry, HOLDERS[entry.kind]), with_fields(entry))
        for entry in list(entries)[:10]
    ],
    refusal="The frontmatter already matches the fields.",
    level=messages.INFO,
)
@offered_to(differing_fields)
def write_frontmatter(model_admin, request, queryset):
    message = "Wrote the fields into the frontmatter."
    entries = model_admin.change_each(request, queryset, message, write_fields)
    incomplete = [entry.slug for entry in entries if differing_fields(entry)]
    if incomplete:
        text = f"Some fields could not be written for {', '.join(incomplete)}."
        model_admin.message_user(request, text, messages.WARNING)


def write_fields(entry):
    # Somebody may be saving another text.
    entry.refresh_from_db(from_queryset=type(entry).objects.select_for_update(no_key=True))
    name = HOLDERS[entry.kind]
    setattr(entry, name, with_fields(entry))
    entry.check_text()
    entry.save(update_fields=[name, "updated_at"])


PAGES = [AdminPage("fields/", "fields", fields_view, ("add",))]
