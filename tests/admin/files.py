"""Uploading files to the admin, as staff do."""

import io
import zipfile

from django.core.files.uploadedfile import SimpleUploadedFile

from importing.models import ImportRun
from tests.admin.actions import send

SKILLS = "/admin/catalogue/skill/"
PERSONAS = "/admin/catalogue/persona/"
SKILL_MD = "---\nname: {0}\ndescription: Does {0}.\n---\n\nDo it.\n"


def zip_of(contents, compression=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return packed.getvalue()


def upload(admin_client, data, *, name="skills.zip", to=SKILLS, **fields):
    file = SimpleUploadedFile(name, data if isinstance(data, bytes) else data.encode())
    return admin_client.post(f"{to}import/", {"file": file, **fields}, follow=True)


def confirm(admin_client, to=SKILLS, **fields):
    """Import the upload and publish all of it, or with the fields of a person who chooses."""
    run = ImportRun.objects.get(finished_at=None)
    fields = fields or {"all": "yes"}
    assert send(admin_client, f"{to}import/{run.pk}/", fields).status_code == 302
    run.refresh_from_db()
    return run


def outcomes(page):
    return {
        kind: [outcome.path for outcome in group]
        for kind, group in page.context["outcomes"].items()
        if group
    }


def refusal(page):
    """The sentence that the whole upload was refused with."""
    (sentence,) = page.context["form"].errors["file"]
    return sentence
