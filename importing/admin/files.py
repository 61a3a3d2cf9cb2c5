"""The files of a skill in its form (contract 17.15).

The form has rows of fields only for files that somebody changes, so that a page of many files stays
small. All rows of a save make one version.
"""

from functools import cached_property

from django import forms

from catalogue.admin.forms import FormTextField, SkillForm, as_stored
from catalogue.archives import SKILL_MD
from catalogue.frontmatter import Refused
from catalogue.models import FileContent, Skill
from importing import folders
from importing.members import problem_of_path
from importing.names import check_path, normalized, reason_to_leave_out
from importing.reports import all_of, printable
from marketplace.adminsite import theme
from marketplace.adminsite.edits import EditedField
from marketplace.large_values import PIECE

PREFIX = "files"
MAX_TEXT = 256 * 1024  # bytes of a file whose text a row shows
MAX_ROWS = 200
MAX_QUOTED = 100  # characters of a path that a refusal quotes


class FileForm(forms.Form):
    """A row: a new file, or what changes of the file whose path `was`."""

    was = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)
    path = forms.CharField(required=False, widget=theme.TextInput(attrs={"spellcheck": "false"}))
    text = FormTextField(required=False)
    upload = forms.FileField(
        required=False, allow_empty_file=True, label="Or a file", widget=forms.FileInput
    )
    remove = forms.BooleanField(required=False, label="Remove it", widget=theme.CheckboxInput)

    @property
    def was_path(self):
        return self["was"].value() or ""

    @property
    def has_text(self):
        """Whether the row has a field for the text: not for a binary, nor for a large file."""
        if self.is_bound:
            return self.add_prefix("text") in self.data
        return not self.was_path or "text" in self.initial

    @property
    def chosen(self):
        """The name of the posted file, which a browser does not choose again after a mistake."""
        upload = self.files.get(self.add_prefix("upload"))
        return upload.name if upload else ""

    def new_path_of(self, old):
        """Raises Refused if the file whose path `was` is gone."""
        if self.was_path and old is None:
            raise Refused(f"{printable(self.was_path)} is no longer among the files")
        upload = self.cleaned_data.get("upload")
        return normalized(self.cleaned_data["path"] or (upload.name if upload else self.was_path))

    def pieces(self, old, stored):
        """A function that returns the new bytes in pieces; None if the old file keeps its bytes.

        `stored` are its bytes, if it has a text. Raises Refused.
        """
        upload, data = self.cleaned_data.get("upload"), None
        if self.has_text and (old is None or stored is not None):
            before = (stored or b"").decode()
            data = as_stored(self.cleaned_data["text"], before).encode()
        is_written = data not in {None, stored or b""}
        if upload and is_written:
            raise Refused("Choose a file or write its text, not both")
        if upload:
            return lambda: upload.chunks(PIECE)
        if old and not is_written:
            return None
        return lambda: [data or b""]


class FileRows(forms.BaseFormSet):
    """The rows of a form, and the files of the skill `after` them.

    Each mistake is beside its field. `new` has the bytes of the files that change.
    """

    default_error_messages = forms.BaseFormSet.default_error_messages | {
        "too_many_forms": f"Change at most {MAX_ROWS} files at once."
    }

    def __init__(self, *arguments, before=(), **options):
        self.before, self.new = list(before), {}
        super().__init__(*arguments, **options)

    @cached_property
    def after(self):
        if not self.is_valid():
            return self.before
        rows = [row for row in self.forms if row.has_changed()]
        kept = {file["path"]: file for file in self.before}
        pairs = [(row, kept.pop(row.was_path, None)) for row in rows]
        texts = FileContent.objects.of(old for _, old in pairs if old and is_shown(old))
        files, paths = list(kept.values()), Paths(kept)
        for row, old in pairs:
            if row.cleaned_data["remove"] and row.was_path:
                continue
            stored = texts.get(old["digest"]) if old else None
            if file := self.file_of(row, old, stored, paths):
                size = sum(other["size"] for other in files) + file["size"]
                if reason := folders.reason_of_limit(len(files), size):
                    row.add_error("path", f"{reason.format(file['path'])}.")
                files.append(file)
        return sorted(files, key=lambda file: file["path"].encode())

    def file_of(self, row, old, stored, paths):
        """The file that a row makes, in the form of `Skill.files`; None if it has a mistake."""
        field = "path"
        try:
            path = row.new_path_of(old)
            paths.add(path, is_new=old is None or old["path"] != path)
            field = "text" if row.has_text and not row.cleaned_data.get("upload") else "upload"
            pieces = row.pieces(old, stored)
            if pieces is None:
                return old | {"path": path}
            is_executable = bool(old and old["is_executable"])
            file = folders.as_stored(path, pieces(), is_executable=is_executable)
        except Refused as error:
            row.add_error(field, f"{error}.")
            return None
        self.new[file["digest"]] = file, pieces
        return file

    @cached_property
    def mistakes(self):
        self.after  # noqa: B018 (it finds those of several rows)
        rows = [
            f"{printable(row.was_path or row['path'].value() or 'a new file')}: {text}"
            for row in self.forms
            for texts in row.errors.values()
            for text in texts
        ]
        return [*map(str, self.non_form_errors()), *rows]

    def store(self):
        """Store the bytes that are not stored yet."""
        stored = FileContent.objects.stored(file for file, _ in self.new.values())
        new = [item for digest, item in self.new.items() if digest not in stored]
        FileContent.objects.store((file, pieces()) for file, pieces in new)


RowSet = forms.formset_factory(
    FileForm, formset=FileRows, max_num=MAX_ROWS, absolute_max=MAX_ROWS + 1, validate_max=True
)


class Paths:
    """The paths of a skill's files and of their folders, as a case-insensitive disk knows them."""

    def __init__(self, files):
        self.files = {SKILL_MD, *files}
        self.names = {name.casefold(): name for path in self.files for name in with_folders(path)}

    def add(self, path, *, is_new):
        """Raises Refused, as an import does. A path that is not new was allowed before."""
        if is_new:
            check_name(path)
        if path in self.files or self.names.get(path.casefold()) == path:
            raise Refused(f"There already is a file or a folder {path[:MAX_QUOTED]}")
        for name in with_folders(path):
            if name in self.files:
                raise Refused(f"{name[:MAX_QUOTED]} is a file, so no file can be below it")
            if is_new and self.names.get(name.casefold()) != name:
                check_path(name, self.names)
            self.names.setdefault(name.casefold(), name)
        self.files.add(path)


def check_name(path):
    """Raises Refused for what no import takes."""
    shown = printable(path)[:MAX_QUOTED]
    if problem := problem_of_path(path):
        raise Refused(f"{shown} is {problem}" if path else "Enter a path, such as scripts/run.py")
    for part in path.split("/"):
        if reason := reason_to_leave_out(part):
            raise Refused(f"An import leaves out {shown}: {reason}")


def with_folders(path):
    """The path and those of the folders above it, from the top."""
    parts = path.split("/")
    return ["/".join(parts[: number + 1]) for number in range(len(parts))]


class FilesWidget(forms.Widget):
    """Says that the form is sent with files. A template shows its rows."""

    needs_multipart_form = True


class EditedFiles(EditedField):
    @cached_property
    def is_edited(self):
        """Whether a row changes anything, or has a mistake."""
        rows = self.form.file_rows
        return rows is not None and (bool(rows.mistakes) or rows.after != rows.before)

    def _has_changed(self):
        return self.is_edited

    @property
    def data(self):
        return self.form.file_rows.after if self.is_edited else self.initial

    @property
    def before(self):
        return self.initial

    def readable(self, value):
        return [f"{file['path']}, {file['size']:,} bytes, {file['digest']}" for file in value]


class FileRowsField(forms.Field):
    """All files of a skill but SKILL.md, as `Skill.files` has them."""

    widget, bound_field_class = FilesWidget, EditedFiles


class SkillFilesForm(SkillForm):
    files = FileRowsField(required=False)

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.initial[PREFIX] = self.instance.files

    @cached_property
    def file_rows(self):
        """The rows that were posted, or None."""
        is_posted = f"{PREFIX}-TOTAL_FORMS" in self.data
        before = self.instance.files
        return RowSet(self.data, self.files, prefix=PREFIX, before=before) if is_posted else None

    def clean_files(self):
        if self[PREFIX].is_edited:
            if mistakes := self.file_rows.mistakes:
                raise forms.ValidationError(all_of(mistakes))
            # For the inspection. The admin undoes it if the form has other mistakes.
            self.file_rows.store()
            self.instance.files = self.file_rows.after
        return self.instance.files


def file_rows(model_admin, request, row):
    """A part of the `form_context`: a row for a new file, and one for each that the page names."""
    if model_admin.model is not Skill:
        return {}
    files = {file["path"]: file for file in row.files} if row else {}
    opened = [files[path] for path in request.GET.getlist("file")[:MAX_ROWS] if path in files]
    texts = FileContent.objects.of(filter(is_shown, opened)) if opened else {}
    initial = [
        {"was": file["path"], "path": file["path"]}
        | ({"text": texts[file["digest"]].decode()} if is_shown(file) else {})
        for file in opened
    ]
    return {"file_rows": RowSet(prefix=PREFIX, initial=initial), "max_text": MAX_TEXT}


def is_shown(file):
    return file["is_text"] and file["size"] <= MAX_TEXT
