"""The forms of entries and of their actions. Their errors say what to change."""

import re
from contextlib import suppress
from itertools import count

from django import forms

from catalogue.admin.findings import EditedFindingsMixin, TextsForm
from catalogue.fences import FENCED, MAX_FRONTMATTER, NEWLINE, Refused, line_at, missing_fence
from catalogue.frontmatter import (
    MAX_BYTES,
    MAX_DESCRIPTION,
    plain_newlines,
    read_frontmatter,
    utf16_length,
)
from catalogue.frontmatter_findings import escaped_characters
from catalogue.models import LABELS, MAX_BUNDLED, Spellings
from catalogue.slugs import as_slug
from catalogue.yaml_fields import read_mapping
from marketplace.adminsite import theme
from marketplace.adminsite.actions import ReasonField
from marketplace.adminsite.edits import EditForm
from marketplace.hidden_text import as_sentences
from marketplace.secrets import holds_token


class FormTextField(forms.CharField):
    """A long text in a form, stored unchanged except for the CRLF that browsers post."""

    widget = theme.Textarea(attrs={"rows": 4})
    # The theme's template writes no newline after the tag, which loses a first empty line.
    widget.template_name = "django/forms/widgets/textarea.html"

    def __init__(self, **options):
        super().__init__(**{**options, "strip": False})

    def to_python(self, value):
        return plain_newlines(super().to_python(value))

    def has_changed(self, initial, data):
        return super().has_changed(plain_newlines(initial or ""), data)


def suggested_input(name):
    """An input that suggests the values in use."""
    return theme.TextInput(attrs={"list": f"used-{name}", "autocomplete": "off"})


def check_text(text, max_bytes):
    if len(text.encode()) > max_bytes:
        raise forms.ValidationError(f"Shorten it to {max_bytes // 1024} KiB.")
    if "\0" in text:
        raise forms.ValidationError("Remove the NUL characters.")
    if holds_token(text):
        raise forms.ValidationError("Remove the agent token from this text, and revoke it.")
    if reasons := as_sentences(escaped_characters(text)):
        raise forms.ValidationError(reasons)


class EntryForm(EditedFindingsMixin, EditForm):
    class Meta:
        widgets = {
            name: suggested_input(name) for name in ("category", "tags", "license", "author")
        }
        help_texts = {
            "slug": "Agents install the entry by this name, so change it only if you must. Use "
            "a-z, 0-9 and hyphens, such as pdf-tables.",
            "tags": "Separate them by commas, such as pdf, tables. Agents filter lists by them.",
            "runtimes": "Name the runtimes it needs, separated by commas, such as python, node. "
            "Leave it empty if it runs anywhere.",
            "version": "The label of its author, such as 1.10. Versions are counted beside it.",
        }

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        # Agents know an entry by its slug: a new title must not change it.
        if "slug" in self.fields and not self.instance.pk:
            self.fields["slug"].required = False
            self.fields[
                "slug"
            ].help_text = (
                "Leave it empty to make it from the title. Agents install the entry by this name."
            )

    def clean_slug(self):
        slug = self.cleaned_data["slug"] or as_slug(self.cleaned_data.get("title", ""))
        if not slug:
            raise forms.ValidationError("Enter a slug: none can be made from the title.")
        others = self._meta.model.objects.exclude(pk=self.instance.pk)
        if others.filter(slug=slug).exists():
            free = next(
                f"{slug}-{number}"
                for number in count(2)
                if not others.filter(slug=f"{slug}-{number}").exists()
            )
            raise forms.ValidationError(f"{slug} is taken; {free} is free.")
        return slug

    def as_known(self, values, names):
        """The labels among these fields, as other entries spell them."""
        spellings = Spellings(self._meta.model, besides=self.instance.pk)
        names = set(LABELS).intersection(names, values)
        return spellings.of({name: values[name] for name in names})

    def clean_content(self):
        content = as_stored(self.cleaned_data["content"], self.instance.content)
        if "content" in self.changed_data or not self.instance.pk:
            check_text(content, MAX_BYTES)
            self.check_format(content)
        return content

    def clean(self):
        """Let fields that staff have not edited follow the frontmatter."""
        cleaned, name = super().clean(), self.frontmatter_field
        self.followed = []
        if name in self.changed_data and name in cleaned:
            before, now = (
                self.frontmatter_values(text)
                for text in (getattr(self.instance, name), cleaned[name])
            )
            for field in now.keys() & cleaned.keys() - set(self.changed_data):
                if now[field] and now[field] != before.get(field):
                    cleaned[field] = now[field]
                    self.followed.append(field)
        return cleaned | self.as_known(cleaned, [*self.changed_data, *self.followed])

    def frontmatter_values(self, text):
        with suppress(Refused):
            return self._meta.model.frontmatter_values(read_frontmatter(text)[0])
        return {}


def as_stored(text, stored):
    """The text that a form posts, with the newlines and the byte order mark of the stored one."""
    if plain_newlines(stored) == text:
        return stored
    newline = re.search(NEWLINE, stored)
    mark = "\ufeff" if stored.startswith("\ufeff") and not text.startswith("\ufeff") else ""
    return mark + text.replace("\n", newline[0] if newline else "\n")


class SkillForm(EntryForm):
    """A skill's content is its SKILL.md."""

    frontmatter_field = "content"

    def check_format(self, content):
        """Refuse a text that is not a SKILL.md (agentskills.io)."""
        if not content.removeprefix("\ufeff").startswith("---"):
            raise forms.ValidationError(
                "Start with frontmatter: a line of ---, then name: and description:, then another "
                "line of ---."
            )
        try:
            if (place := missing_fence(content)) is not None:
                number = line_at(content, place)
                raise forms.ValidationError(f"End the frontmatter: write --- above line {number}.")
            if not FENCED.match(content):
                raise forms.ValidationError("Close the frontmatter with a line of --- below it.")
            fields, body = read_frontmatter(content)
        except Refused as error:
            raise forms.ValidationError(f"Fix the frontmatter: {error}.") from error
        if problems := list(self.problems(content, fields, body)):
            raise forms.ValidationError(problems)

    def problems(self, content, fields, body):
        if read_mapping(FENCED.match(content)[1]) is None:
            yield (
                "Fix the frontmatter: it is not valid YAML. Quote any value that contains a "
                "colon and a space."
            )
        slug, name = self.cleaned_data.get("slug"), fields.line("name")
        if not name:
            yield f"Add the line name: {slug or 'the-slug'} to the frontmatter."
        elif slug and name != slug:
            yield f"Change the name in the frontmatter from {name} to {slug}, the slug."
        description = fields.line("description")
        if not description:
            yield (
                "Add a line description: to the frontmatter that says what the skill does and when "
                "to use it."
            )
        if utf16_length(description) > MAX_DESCRIPTION:
            yield f"Shorten the description in the frontmatter to {MAX_DESCRIPTION} characters."
        if not body.strip():
            yield "Write the instructions below the frontmatter."


class PersonaForm(EntryForm):
    frontmatter_field = "frontmatter"

    def clean_skills(self):
        skills = self.cleaned_data["skills"]
        if "skills" in self.changed_data and len(skills) > MAX_BUNDLED:
            raise forms.ValidationError(f"Choose at most {MAX_BUNDLED} skills, not {len(skills)}.")
        return skills

    def clean_frontmatter(self):
        text = self.cleaned_data["frontmatter"]
        if "frontmatter" not in self.changed_data:
            return text
        check_text(text, MAX_FRONTMATTER)
        return in_fences(text) if text.strip() else ""

    def check_format(self, content):
        if not content.strip():
            raise forms.ValidationError("Write the prompt.")
        if FENCED.match(content):
            raise forms.ValidationError(
                "Remove the frontmatter: enter its values in the fields instead. To use a whole "
                "file, import it."
            )


def in_fences(text):
    """The frontmatter of a file, from its text with or without the lines of ---."""
    if not text.startswith("---"):
        text = f"---\n{text.strip(chr(10))}\n---"
    match = FENCED.match(text)
    if match is None:
        raise forms.ValidationError("Close the frontmatter with a line of --- below it.")
    if text[match.end() :].strip():
        raise forms.ValidationError("Move the text below the second line of --- to the content.")
    if read_mapping(match[1]) is None:
        raise forms.ValidationError(
            "Write one field on each line, such as tools: Read, Grep. This is not valid YAML: "
            "quote any value that contains a colon and a space."
        )
    return text if text.endswith("\n") else f"{text}\n\n"


class SuccessorForm(TextsForm):
    """Asks for the published entry, of the same kind as the rows, to use instead of them."""

    successor = forms.CharField(
        required=False,
        widget=theme.TextInput,
        help_text="Optional: the slug of a published entry of the same kind to use instead.",
    )

    def __init__(self, data, rows):
        self.entries = self.entries_of(rows)
        self.only = self.entries[0] if len(self.entries) == 1 else None
        super().__init__(data, rows, initial={"successor": self.only and self.only.successor})

    def entries_of(self, rows):
        return list(rows)

    def clean_successor(self):
        slug = self.cleaned_data["successor"]
        if not slug:
            return None
        model, *others = {type(entry) for entry in self.entries}
        if others:
            raise forms.ValidationError("A skill cannot replace a persona: select only one kind.")
        successor = model.objects.published().filter(slug=slug).first()
        if successor is None:
            raise forms.ValidationError(f"No published {model.kind} is called {slug}.")
        if successor in self.entries:
            raise forms.ValidationError(f"{slug} cannot replace itself.")
        return successor


class DeprecationForm(SuccessorForm):
    message = ReasonField(help_text="Public: say why agents should stop using it.")
    field_order = ["message", "successor"]

    def __init__(self, data, rows):
        super().__init__(data, rows)
        if self.only:
            self.initial["message"] = self.only.deprecation_message


class RecallForm(SuccessorForm):
    reason = ReasonField(
        help_text="Public: the entry's page shows it, and so do the advisories of agents that "
        "have it."
    )
    field_order = ["reason", "successor"]


class VersionRecallForm(TextsForm):
    reason = ReasonField(
        help_text="Public: the list of versions shows it, and so do the advisories of agents that "
        "have it."
    )
