from django.contrib import admin, messages
from django.db import models
from django.forms import Textarea

from catalogue.models import Persona, Skill, Status


def plain_newlines(text):
    """Browsers post CRLF; an untouched text must not count as changed."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


class EntryAdmin(admin.ModelAdmin):
    """What the desks of skills and personas share."""

    search_fields = ["slug", "title", "tags", "author"]
    list_filter = ["status", "category"]
    ordering = ["-id"]
    list_per_page = 50
    show_full_result_count = False
    prepopulated_fields = {"slug": ["title"]}
    formfield_overrides = {models.TextField: {"widget": Textarea(attrs={"rows": 8, "cols": 100})}}
    actions = ["publish", "withdraw"]
    always_readonly = ["public_id", "context_tokens", "source", "created_at", "updated_at"]
    counters = []

    def get_readonly_fields(self, request, obj=None):
        return [*self.counters, *self.always_readonly]

    def get_prepopulated_fields(self, request, obj=None):
        # Agents know an entry by its slug: a new title must not move an old one.
        return {} if obj else self.prepopulated_fields

    def get_queryset(self, request):
        return super().get_queryset(request).defer("search")

    def save_model(self, request, obj, form, change):
        obj.description = plain_newlines(obj.description)
        obj.content = plain_newlines(obj.content)
        if not change:
            obj.save()
            return
        # Only what was edited: a counter that moved since the form was opened keeps its value.
        many_to_many = {field.name for field in obj._meta.many_to_many}  # noqa: SLF001
        changed = [name for name in form.changed_data if name not in many_to_many]
        obj.save(update_fields=[*changed, "updated_at"])

    @admin.action(description="Publish the selected entries")
    def publish(self, request, queryset):
        self.set_status(request, queryset, Status.PUBLISHED)

    @admin.action(description="Withdraw the selected entries")
    def withdraw(self, request, queryset):
        self.set_status(request, queryset, Status.WITHDRAWN)

    def set_status(self, request, queryset, status):
        entries = list(queryset)
        for entry in entries:
            entry.status = status
            entry.save(update_fields=["status", "updated_at"])
            self.log_change(request, entry, f"Set the status to {status.label.lower()}.")
        self.message_user(
            request, f"{len(entries)} set to {status.label.lower()}.", messages.SUCCESS
        )


@admin.register(Skill)
class SkillAdmin(EntryAdmin):
    list_display = ["slug", "title", "category", "status", "downloads", "updated_at"]
    counters = ["downloads"]


@admin.register(Persona)
class PersonaAdmin(EntryAdmin):
    list_display = [
        *("slug", "title", "category", "status", "price_cents"),
        *("installs", "rating_avg", "rating_count", "updated_at"),
    ]
    counters = ["installs", "rating_avg", "rating_count"]
    autocomplete_fields = ["skills"]
