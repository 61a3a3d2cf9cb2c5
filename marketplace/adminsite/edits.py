"""Several people edit one row at the same time, and no edit is lost.

A row's page carries a digest of every value that it shows. A save changes only the fields that this
person has edited. It is refused if somebody else has changed one of them meanwhile.
"""

import json
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b

from django import forms
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import unquote
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.text import normalize_newlines

from marketplace.diffs import change_of
from marketplace.visible_texts import VisibleTextsMixin

MAX_LISTED = 10  # changes that a refusal lists


class EditedField(forms.BoundField):
    """A field of a row's page, which may have been opened a while ago."""

    @property
    def data(self):
        """The posted value, or the row's current value if this person has not edited the field."""
        return super().data if self.is_edited else self.initial

    @cached_property
    def is_edited(self):
        """Whether the posted value differs from the value that the page showed."""
        if self.field.disabled:
            return False
        return self.form.instance.pk is None or self.digest_of(super().data) != self.opened_digest

    def _has_changed(self):
        return self.is_edited and super()._has_changed()

    @property
    def opened_digest(self):
        """The digest of the value that the page showed."""
        return self.form.opened["fields"].get(self.name)

    @property
    def current(self):
        """The digest of the row's present value."""
        return self.digest_of(self.initial)

    @property
    def before(self):
        """The clean value of the row when the form was made."""
        return self.field.to_python(self.field.prepare_value(self.initial))

    @property
    def difference(self):
        """The clean values before and now, as a sentence for the log."""
        values = [
            self.readable(value) for value in (self.before, self.form.cleaned_data[self.name])
        ]
        before, now = ("none" if value in ("", None) else value for value in values)
        return f"{self.label} before: {before}. {self.label} now: {now}."

    def digest_of(self, value):
        value = self.field.prepare_value(value)
        if isinstance(value, list | tuple):
            value = "\n".join(sorted(map(str, value)))
        text = "" if value is None else normalize_newlines(str(value))
        return blake2b(text.encode(), digest_size=12).hexdigest()

    def readable(self, value):
        """A clean value as staff read it."""
        if isinstance(self.field, forms.ModelMultipleChoiceField):
            return sorted(map(str, value))
        if type(self.field) in {forms.ChoiceField, forms.TypedChoiceField}:
            return dict(self.field.choices).get(value, value)
        return value


class EditForm(VisibleTextsMixin, forms.ModelForm):
    """The form of every row that staff edit."""

    bound_field_class = EditedField
    followed = ()  # fields that are saved because others were edited

    @cached_property
    def opened(self):
        """When the page was opened, and what it showed, as its `page_state` says."""
        with suppress(ValueError, TypeError, KeyError):
            opened = json.loads(self.data["page_state"])
            return {"at": moment(opened["at"]), "fields": dict(opened["fields"])}
        # A page of an earlier release: every difference may be somebody else's edit.
        return {"at": timezone.now(), "fields": {}}

    @property
    def page_state(self):
        """A record of what the page shows, which it posts back."""
        fields = {bound.name: bound.current for bound in self if not bound.field.disabled}
        return json.dumps({"at": timezone.now().timestamp(), "fields": fields})

    def full_clean(self):
        self.name_before = str(self.instance) if self.is_bound and self.instance.pk else ""
        super().full_clean()
        self.conflicts = []  # differences, from what somebody else has saved to what is posted
        if not self.is_bound or self.instance.pk is None:
            return
        for name in [*self.changed_data, *self.followed]:
            if self[name].opened_digest != self[name].current:
                self.conflicts.append(self.conflict(self[name]))
                self.add_error(name, "This has changed since you opened the page.")

    def conflict(self, bound):
        yours = self.cleaned_data.get(bound.name, bound.data)
        return change_of(bound.label, bound.readable(bound.before), bound.readable(yours))


class EditsMixin:
    """For an admin whose form is an EditForm."""

    change_form_before_template = "admin/edits.html"
    recorded_fields = ()  # short ones, whose values before and after a save are logged

    def _changeform_view(self, request, object_id, form_url, extra_context):
        if request.method == "POST" and object_id is not None:
            self.lock(unquote(object_id))
        return super()._changeform_view(request, object_id, form_url, extra_context)

    def lock(self, pk):
        """Make saves of the row take turns, so that each is compared with the one before it.

        `no_key`, so that inserting rows that refer to this one does not wait.
        """
        with suppress(ValueError):  # Django responds to an invalid key.
            list(self.model.objects.select_for_update(no_key=True).only("pk").filter(pk=pk))

    def log_deletions(self, request, queryset):
        """Log one at a time, because Django tells nobody of several that it logs at once."""
        log = super().log_deletions
        return [entry for row in queryset for entry in log(request, [row])]

    def construct_change_message(self, request, form, formsets, add=False):  # noqa: FBT002
        """Django's names of the fields, and the differences that nothing else would tell."""
        message = super().construct_change_message(request, form, formsets, add)
        is_of_row = isinstance(form, forms.ModelForm)  # unlike the form of a password
        differences = self.differences(form) if is_of_row else []
        if not differences:
            return message
        text = LogEntry(change_message=json.dumps(message)).get_change_message()
        return " ".join([*filter(None, [text]), *differences])

    def differences(self, form):
        """Sentences about the row before and after a save."""
        before, after = getattr(form, "name_before", ""), str(form.instance)
        if not before:  # a new row
            return []
        renamed = [f"It was called {before}."] if before != after else []
        changed = set(self.recorded_fields).intersection(form.changed_data)
        return renamed + [form[name].difference for name in sorted(changed)]

    def render_change_form(self, request, context, *args, **kwargs):
        form = context["adminform"].form
        if getattr(form, "conflicts", None):
            context["changes_since"] = self.changes_since([context["original"]], form.opened["at"])
        return super().render_change_form(request, context, *args, **kwargs)

    def changes_since(self, rows, opened_at):
        """The newest changes of the rows that staff have made since a page was opened."""
        entries = LogEntry.objects.filter(
            content_type=ContentType.objects.get_for_model(self.model),
            object_id__in=[row.pk for row in rows],
            action_time__gt=opened_at,
        )
        return list(entries.select_related("user")[:MAX_LISTED])


def moment(timestamp):
    """Raises ValueError or TypeError if this is not a timestamp."""
    try:
        return datetime.fromtimestamp(float(timestamp), UTC)
    except (OverflowError, OSError) as error:
        raise ValueError from error
