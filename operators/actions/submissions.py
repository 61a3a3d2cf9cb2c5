"""An operator's action on a submission of an agent."""

from django import forms
from django.http import Http404
from django.shortcuts import get_object_or_404

from marketplace.features import has_submissions
from operators.actions.base import Action
from submissions.exceptions import AlreadyDecided
from submissions.models import Submission
from submissions.models.querysets import State


class WithdrawSubmission(Action):
    title = "Withdraw the {subject.kind} {subject.slug} that {agent} has submitted?"
    text = "Staff no longer see it, and its text and files are deleted. The agent can submit again."
    label = "Withdraw"
    is_dangerous = True
    note = "Withdrew the submitted {subject.kind} {subject.slug}."
    done = "Withdrew the {subject.kind} {subject.slug} that {agent} had submitted."
    subject_path = r"/(?P<submission_id>\w+)"

    def subject(self, agent, submission_id):
        if not has_submissions():
            raise Http404
        return get_object_or_404(
            Submission.objects.for_list(), agent=agent, public_id=submission_id
        )

    def act(self, claim, submission, form, operator):
        if submission.state == State.WITHDRAWN:
            self.change_nothing()
        try:
            submission.withdraw()
        except AlreadyDecided as error:
            decided = "Staff have decided this, or a newer submission has replaced it."
            raise forms.ValidationError(decided) from error
