"""Submissions in the model test: sent by agents, decided by staff with the forms of the admin."""

import re
from types import SimpleNamespace
from urllib.parse import urlencode

from submissions.models import Maintainer
from submissions.models import Submission as Row
from tests.browser import untouched_form
from tests.submissions.conftest import DESK, zip_of
from tests.system import model_data as data
from tests.system.matchers import Interval
from tests.system.model_data import API
from tests.system.model_staff import row_of

URL = f"{API}/agents/me/submissions"
REFUSAL = re.compile("Nothing was published: ([^<]*)")


class DeskActions:
    """For the test's machine: each step runs in the product and in the model."""

    def submit(self, body, token, as_zip=False):
        before = len(self.model.submissions)
        if as_zip:
            self.submit_zip(body, token)
        else:
            self.act("submit", body, token)
        for submission in self.model.submissions[before:]:
            self.counts["trust", submission.state] += 1
        self.check_submission(body["kind"], body["slug"], token)

    def submit_zip(self, body, token):
        self.model.interval = Interval()
        expected = self.model.submit(token, body)
        packed = zip_of({f"{body['slug']}/SKILL.md": body["content"]})
        about = {name: body[name] for name in ("baseNumber", "note") if body.get(name)}
        self.compare("submit", expected, "POST", f"{URL}?{urlencode(about)}", packed, token)

    def withdraw(self, submission_id, token):
        self.act("withdraw_submission", {"submissionId": submission_id}, token)
        self.open_submission(submission_id, token)

    def publish_submission(self, submission, ends_recall=False):
        decision = "publish_and_end_recall" if ends_recall else "publish"
        with self.clock(), self.compared_end("publish_submission") as end:
            end.expected = self.model.publish_submission(submission, ends_recall=ends_recall)
            page = self.decide(submission, decision)
            end.text = "".join(REFUSAL.findall(page.body.decode()))
        self.check_decided(submission)

    def publish_withdrawn(self, submission):
        """Staff withdraw its entry first, so that it waits."""
        self.move(self.model.existing(submission.kind, submission.slug), "withdraw")
        self.publish_submission(submission)

    def reject_submission(self, submission, reason):
        with self.clock():
            self.model.reject_submission(submission, reason)
            self.decide(submission, "reject", reason=reason)
        self.check_decided(submission)

    def decide(self, submission, decision, **fields):
        """Press a button of its page; returns the page to which that leads."""
        row = Row.objects.get(public_id=str(submission.submission_id))
        page = self.staff.get(f"{DESK}{row.pk}/change/")
        form = untouched_form(SimpleNamespace(content=page.body), "decide")
        posted = self.staff.post(f"{DESK}{row.pk}/decide/", form | {"decision": decision} | fields)
        self.agree("the status of the decision", 302, posted.status)
        return self.staff.get(posted.headers["Location"])

    def trust(self, entry, agent):
        self.do_maintainer("trust", entry, agent)

    def end_trust(self, entry, agent):
        self.do_maintainer("end_trust", entry, agent)

    def remove_maintainer(self, entry, agent, opens):
        is_last = entry.present_maintainers == [agent]
        fields = {"opens": "on"} if opens and is_last else {}
        self.do_maintainer("remove", entry, agent, **fields)

    def do_maintainer(self, act, entry, agent, **fields):
        row = Maintainer.objects.of(row_of(entry)).get(agent=row_of(agent))
        path = f"{self.admin_path(entry)}maintainers/{row.pk}/{act}/"
        posted = self.staff.submit(path, confirmed="yes", **fields)
        self.agree("the status of the form", 302, posted.status)
        if act == "remove":
            self.model.remove_maintainer(entry, agent, opens=bool(fields))
        else:
            getattr(self.model, act)(entry, agent)
        self.check(agents=[agent])

    # The state to compare after a step

    def open_submission(self, submission_id, token):
        expected = self.model.submission(token, submission_id)
        self.compare("submission", expected, "GET", f"{URL}/{submission_id}", token=token)

    def check_submission(self, kind, slug, token):
        """After an agent's request: its submissions, and an entry that may be published at once."""
        if token is None or token.agent is None:
            return
        self.check_submissions(token.agent)
        for entry in self.named(f"{kind}s", slug):
            self.check_related(entry)

    def check_decided(self, submission):
        self.counts["reject", submission.state] += 1
        self.check_submissions(submission.agent)
        for entry in self.named(submission.kind, submission.slug):
            self.check_related(entry)

    def check_submissions(self, agent):
        reading = [token for token in agent.tokens if token.may("read", "submit")]
        token = (reading or agent.tokens)[-1]
        self.act("me", token=token)
        for query in ({}, {"state": "pending"}, {"kind": "skill", "limit": "1"}):
            self.paginate("own_submissions", query, token)
        for submission in agent.submissions[-2:]:
            self.open_submission(str(submission.submission_id), token)

    def begin_submitting(self, token):
        """An agent's skill and persona, and its change to one of the staff, published; a trust."""
        for kind, slug in data.FIRST_SUBMITTED:
            content = data.submitted_file(slug, "first", license_name="MIT")
            self.submit({"kind": kind, "slug": slug, "content": content}, token)
            self.publish_submission(self.model.submissions[-1])
        self.trust(self.model.entries["skills"][-1], token.agent)
