"""Between the form of an entry and the frontmatter of its text."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import JsonResponse
from django.views.decorators.http import require_POST

from catalogue.frontmatter import Refused, plain_newlines
from catalogue.models import Skill
from importing.exports import content_with_fields, differing_fields
from marketplace.adminsite.actions import confirmed_action
from marketplace.diffs import change_of


class PastedFileMixin:
    """Fills the fields of a new entry from a file that staff paste into its form."""

    def get_urls(self):
        view = require_POST(self.fields_view)
        return [self.page_path("fields/", view, "fields"), *super().get_urls()]

    def fields_view(self, request):
        """The fields of a pasted file as the form shows them, and what remains of its text."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        try:
            text = plain_newlines(request.POST.get("content", ""))
            values = self.importer_class().pasted(text)
        except Refused as error:
            return JsonResponse({"error": f"No field was filled: {error}."}, status=400)
        content, fields = values.pop("content"), self.get_form(request)().fields
        form_values = {
            name: [[row.pk, str(row)] for row in value]
            if isinstance(value, QuerySet)
            else str(fields[name].prepare_value(value))
            for name, value in values.items()
        }
        return JsonResponse({"fields": form_values, "content": content})


class WriteFrontmatterMixin:
    """Shows where the fields of a skill and its frontmatter differ, and writes the fields there."""

    def row_context(self, request, row):
        return super().row_context(request, row) | {"differing": self.differing(row)}

    def is_offered(self, action, row):
        if action == "write_frontmatter":
            return bool(differing_fields(row))
        return super().is_offered(action, row)

    def differing(self, skill):
        """The labels of the fields that differ from the frontmatter."""
        return [str(self.opts.get_field(name).verbose_name) for name in differing_fields(skill)]

    @confirmed_action(
        "Write the fields into the frontmatter",
        text="The frontmatter gets the values of these fields. Its comments are lost. The rest of "
        "the text does not change.",
        facts=lambda self, skills: [(skill, ", ".join(self.differing(skill))) for skill in skills],
        changes=lambda _, skills: [
            change_of(skill.slug, skill.content, content_with_fields(skill))
            for skill in list(skills)[:10]
        ],
        refusal="The frontmatter already matches the fields.",
        level=messages.INFO,
    )
    def write_frontmatter(self, request, queryset):
        message = "Wrote the fields into the frontmatter."
        skills = self.change_each(request, queryset, message, write_fields)
        incomplete = [skill.slug for skill in skills if differing_fields(skill)]
        if incomplete:
            text = f"Some fields could not be written for {', '.join(incomplete)}."
            self.message_user(request, text, messages.WARNING)


def write_fields(skill):
    # Somebody may be saving another text.
    skill.refresh_from_db(from_queryset=Skill.objects.select_for_update(no_key=True))
    skill.content = content_with_fields(skill)
    skill.check_text()
    skill.save(update_fields=["content", "updated_at"])
