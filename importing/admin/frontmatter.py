"""Between the form of an entry and the frontmatter of its text."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import JsonResponse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST

from catalogue.frontmatter import Refused, plain_newlines
from catalogue.models import Skill
from importing.admin.importers import IMPORTERS
from importing.exports import content_with_fields, differing_fields
from marketplace.adminsite.actions import confirmed_action, offered_to
from marketplace.adminsite.pages import AdminPage
from marketplace.diffs import change_of


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


def differing(skill):
    """The labels of the fields that differ from the frontmatter."""
    return [str(Skill._meta.get_field(name).verbose_name) for name in differing_fields(skill)]


def differences(_admin, _request, skill):
    """Where the fields of a skill and its frontmatter differ, for the page of the skill."""
    return {"differing": differing(skill)}


@confirmed_action(
    "Write the fields into the frontmatter",
    text="The frontmatter gets the values of these fields. Its comments are lost. The rest of "
    "the text does not change.",
    facts=lambda _, skills: [(skill, ", ".join(differing(skill))) for skill in skills],
    changes=lambda _, skills: [
        change_of(skill.slug, skill.content, content_with_fields(skill))
        for skill in list(skills)[:10]
    ],
    refusal="The frontmatter already matches the fields.",
    level=messages.INFO,
)
@offered_to(differing_fields)
def write_frontmatter(model_admin, request, queryset):
    message = "Wrote the fields into the frontmatter."
    skills = model_admin.change_each(request, queryset, message, write_fields)
    incomplete = [skill.slug for skill in skills if differing_fields(skill)]
    if incomplete:
        text = f"Some fields could not be written for {', '.join(incomplete)}."
        model_admin.message_user(request, text, messages.WARNING)


def write_fields(skill):
    # Somebody may be saving another text.
    skill.refresh_from_db(from_queryset=Skill.objects.select_for_update(no_key=True))
    skill.content = content_with_fields(skill)
    skill.check_text()
    skill.save(update_fields=["content", "updated_at"])


PAGES = [AdminPage("fields/", "fields", fields_view, ("add",))]
