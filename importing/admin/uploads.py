"""The upload form: staff drop, choose or paste a file, a zip, a folder or a text."""

import io
import json
import zipfile
from tempfile import TemporaryFile

from django import forms

from catalogue.frontmatter import plain_newlines
from importing import zips
from importing.members import MAX_PATH
from marketplace.adminsite import theme


class FilesInput(theme.FileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files, as a list."""

    widget = FilesInput

    def clean(self, data, initial=None):
        files = data if isinstance(data, list | tuple) else [data]
        return [super(FilesField, self).clean(file, initial) for file in files if file]


class PathsField(forms.CharField):
    """The path of each file in its folder, which browsers do not send with the files."""

    widget = forms.HiddenInput

    def to_python(self, value):
        try:
            paths = json.loads(value or "[]")
        except (ValueError, RecursionError):
            paths = None
        if paths == [""]:  # one file that lies in no folder
            return []
        if not isinstance(paths, list) or not all(map(is_path, paths)):
            raise forms.ValidationError("The paths of the files could not be read.")
        return paths


def is_path(path):
    return isinstance(path, str) and 0 < len(path) <= MAX_PATH and path.isprintable()


class UploadForm(forms.Form):
    file = FilesField(
        required=False,
        label="A Markdown file, an archive, or a folder",
        help_text=f"At most {zips.MAX_UPLOAD // 1024**2} MiB and {zips.MAX_ENTRIES:,} entries. A "
        "SKILL.md alone does not change the other files of its skill.",
    )
    paths = PathsField(required=False)
    text = forms.CharField(
        required=False,
        strip=False,
        label="Or paste the text of a file",
        widget=theme.Textarea(attrs={"rows": 8}),
    )

    def clean(self):
        files, text = self.cleaned_data.get("file"), self.cleaned_data.get("text")
        if not self.errors and bool(files) == bool(text):
            raise forms.ValidationError({"file": "Choose files or paste a text, not both."})
        if files and len(self.cleaned_data.get("paths", ())) not in {0, len(files)}:
            raise forms.ValidationError({"file": "Some files did not arrive. Try again."})

    def name_and_file(self):
        """The upload as one file: a folder becomes a zip."""
        files, paths = self.cleaned_data["file"], self.cleaned_data["paths"]
        if not files:
            text = plain_newlines(self.cleaned_data["text"])
            return "pasted.md", io.BytesIO(text.encode())
        if len(files) == 1 and not paths:
            return files[0].name, files[0]
        return as_zip(files, paths or [file.name for file in files])


def as_zip(files, paths):
    packed = TemporaryFile()  # noqa: SIM115 (the caller closes it)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, path in zip(files, paths, strict=True):
            # Reading the zip refuses names that no browser sends.
            with file, archive.open(path.encode(errors="replace").decode(), "w") as member:
                member.writelines(file.chunks())
    folder = paths[0].partition("/")[0] if "/" in paths[0] else "files"
    return f"{folder}.zip", packed
