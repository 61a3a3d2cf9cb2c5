from hashlib import sha256

from django import forms
from django.contrib import admin, messages
from django.db import models

from catalogue.models import Persona, Skill, Status


class FormTextField(forms.CharField):
    """A long text in a form: kept to the letter, but for the CRLF that browsers post.

    The form carries a digest of the text that it was opened with. A text that staff left alone
    is not saved, and so undoes nothing that an import has changed meanwhile.
    """

    widget = forms.Textarea(attrs={"rows": 8, "cols": 100})

    def __init__(self, **options):
        super().__init__(**{**options, "strip": False, "show_hidden_initial": True})
        self.hidden_widget = DigestInput

    def to_python(self, value):
        return plain_newlines(super().to_python(value))

    def has_changed(self, initial, data):
        return digest(plain_newlines(data or "")) != initial


class DigestInput(forms.HiddenInput):
    def format_value(self, value):
        return digest(plain_newlines(value or ""))


def plain_newlines(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


def digest(text):
    return sha256(text.encode()).hexdigest()


class EntryAdmin(admin.ModelAdmin):
    """What the desks of skills and personas share."""

    search_fields = ["slug", "title", "tags", "author"]
    list_filter = ["status", "category"]
    ordering = ["-id"]
    list_per_page = 50
    show_full_result_count = False
    prepopulated_fields = {"slug": ["title"]}
    formfield_overrides = {models.TextField: {"form_class": FormTextField}}
    actions = ["publish", "withdraw"]
    always_readonly = ["public_id", "context_tokens", "source", "created_at", "updated_at"]
    counters = []

    def get_readonly_fields(self, request, obj=None):
        return [*self.counters, *self.always_readonly]

    def get_prepopulated_fields(self, request, obj=None):
        # Agents know an entry by its slug: a new title must not move an old one.
        return {} if obj else self.prepopulated_fields

    def save_model(self, request, obj, form, change):
        if not change:
            obj.save()
            return
        # Only what was edited: a counter that moved since the form was opened keeps its value.
        many_to_many = {field.name for field in obj._meta.many_to_many}  # noqa: SLF001
        if form.changed_data:
            changed = set(form.changed_data) - many_to_many
            obj.save(update_fields=[*changed, "updated_at"])

    @admin.action(description="Publish the selected entries", permissions=["change"])
    def publish(self, request, queryset):
        self.set_status(request, queryset, Status.PUBLISHED)

    @admin.action(description="Withdraw the selected entries", permissions=["change"])
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
