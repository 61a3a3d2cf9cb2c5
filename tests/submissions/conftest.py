import io
import zipfile

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from agents.models import AgentToken
from submissions.models import Submission
from submissions.publishing import Approval, preview, publish
from tests.admin.conftest import admin_client_of, clerk_with  # noqa: F401
from tests.browser import untouched_form

DESK = "/admin/submissions/submission/"
URL = "/api/v1/agents/me/submissions"
TEXT = "---\nname: pdf-tables\ndescription: Reads tables.\nlicense: MIT\n---\n\nDo it.\n"
PROMPT = "---\nname: archivist\ndescription: Keeps papers.\nlicense: MIT\n---\n\nYou keep papers.\n"
SKILL = {"kind": "skill", "content": TEXT}
PERSONA = {"kind": "persona", "content": PROMPT}


def changed(body, text="Do it well."):
    """The same entry with another text."""
    return body | {"content": f"{body['content']}\n{text}\n"}


def zip_of(contents, *, executable=()):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in contents.items():
            info = zipfile.ZipInfo(name)
            info.create_system, mode = 3, 0o755 if name in executable else 0o644
            info.external_attr = (0o100000 | mode) << 16
            archive.writestr(info, text)
    return packed.getvalue()


@pytest.fixture
def author_of(client_of):
    """A client that may submit for an agent."""

    def author_of(agent):
        return client_of(token=AgentToken.objects.issue(agent, ["read", "submit"]).text)

    return author_of


@pytest.fixture
def author(agent, author_of):
    """A client that may submit for `agent`."""
    return author_of(agent)


@pytest.fixture
def pending(author):
    author.post(URL, SKILL | {"note": "For <b>you</b>."})
    return Submission.objects.get()


@pytest.fixture
def editor(db):
    return User.objects.create_superuser("editor")


@pytest.fixture
def approve(editor):
    """Publish a submission as its page shows it now."""

    def approve(submission=None, **options):
        submission = submission or Submission.objects.pending().get()
        entry = submission.entry_in(submission.model.objects)
        number = entry.number if entry else None
        findings = "" if submission.withdraws else preview(submission).findings_digest
        shown = submission.bytes_digest, number, timezone.now(), findings
        return publish(submission, Approval(editor, *shown, **options))

    return approve


@pytest.fixture
def submitted(author, approve):
    """Submit a body and publish it; returns the entry."""

    def submitted(body=SKILL, by=author):
        response = by.post(URL, body)
        assert response.status_code == 201, response.json()
        submission = Submission.objects.get(public_id=response.json()["submissionId"])
        return approve(submission)

    return submitted


class Desk:
    """The desk in the browser of somebody on the staff."""

    def __init__(self, client):
        self.client = client

    def list(self, query=""):
        return self.client.get(f"{DESK}{query}")

    def page(self, submission, query=""):
        return self.client.get(f"{DESK}{submission.pk}/change/{query}")

    def decide(self, page, decision, **fields):
        """Press a button of a page."""
        [original] = [page.context["original"]]
        form = untouched_form(page, "decide")
        form |= {"decision": decision, **fields}
        address = page.context["decide_address"]
        assert f"{DESK}{original.pk}/" in address
        return self.client.post(address, form, follow=True)


@pytest.fixture
def desk(admin_client):
    return Desk(admin_client)
