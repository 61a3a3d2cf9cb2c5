"""*Send to the desk* in the form of a published entry: staff propose a text as authors do."""

from contextlib import contextmanager
from tempfile import TemporaryFile

from django.contrib import messages
from django.shortcuts import redirect

from catalogue.admin.saving import FormButton
from catalogue.models import Skill
from catalogue.slugs import slug_of
from importing.exports import as_file, export
from marketplace.adminsite.base import link_to
from marketplace.features import has_submissions
from submissions.exceptions import NothingHasChanged, UnusableText
from submissions.models import Submission
from submissions.proposals import IMPORTERS, Proposal, unzipped, written


class StaffProposal(Proposal):
    """The edited text of an entry. Raises UnusableText."""

    by_staff = True

    def __init__(self, entry, path):
        self.slug = entry.slug
        self.read(IMPORTERS[entry.kind](), path.parent.parent, path)
        if slug_of(self.file.fields.line("name")) not in {"", self.slug}:
            self.refuse(f"name must stay {self.slug}")


def is_offered(model_admin, request, entry):
    may_read = request.user.has_perm("submissions.view_submission")
    may_change = model_admin.has_change_permission(request, entry)
    return has_submissions() and entry.is_published and may_change and may_read


def read(entry):
    """The file of an edited entry, as an export has it; a skill's is a zip with its folder."""
    if not isinstance(entry, Skill):
        return as_file(entry)
    file = TemporaryFile()  # noqa: SIM115 (`unpacked` closes it)
    export(Skill.objects.filter(pk=entry.pk), file)
    return file


@contextmanager
def unpacked(entry, sent):
    """The path of what `read` returned, in a temporary folder."""
    if isinstance(sent, str):
        with written(entry.kind, sent) as path:
            yield path
    else:
        with sent, unzipped(sent) as path:
            yield path


def send(model_admin, request, entry, sent):
    """Store the edited text as a submission. The entry stays as it is."""
    back = redirect(model_admin.url_of("change", entry.pk))
    try:
        with unpacked(entry, sent) as path:
            proposal = StaffProposal(entry, path)
            proposal.check(entry, entry.number)
            submission, _ = Submission.objects.submit(proposal, user=request.user)
    except NothingHasChanged:
        text = "Nothing was sent to the desk: you have changed nothing."
        model_admin.message_user(request, text, messages.WARNING)
        return back
    except UnusableText as error:
        text = f"Nothing was sent to the desk: {error}"
        model_admin.message_user(request, text, messages.ERROR)
        return back
    model_admin.message_user(request, f"{entry} is on the desk. The entry is unchanged.")
    return redirect(link_to(request, "submissions.submission", submission.pk))


BUTTON = FormButton("_desk", "Send to the desk", is_offered, read, send)
