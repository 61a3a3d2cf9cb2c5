from django import forms
from django.template.defaultfilters import truncatechars

from marketplace.adminsite import theme
from marketplace.adminsite.actions import ActionForm, ReasonField
from submissions.models import Submission
from submissions.models.querysets import State

NO_REASON = "Write a reason."


class RejectForm(ActionForm):
    """A new reason, or an earlier one."""

    # Without autofocus: on the desk, keys that are typed outside of it do something else.
    reason = ReasonField(
        required=False,
        widget=theme.Textarea(attrs={"rows": 3}),
        help_text="Its author reads it: say what to change.",
    )
    earlier = forms.ModelChoiceField(
        Submission.objects.filter(state=State.REJECTED).only("reason"),
        required=False,
        label="Or the reason of",
        widget=theme.Select,
    )

    def __init__(self, data, rows, **options):
        super().__init__(data, rows, **options)
        reasons = Submission.objects.earlier_reasons()
        shown = ((key, truncatechars(text, 80)) for key, text in reasons.items())
        self.fields["earlier"].widget.choices = [("", "an earlier rejection"), *shown]

    def clean(self):
        earlier = self.cleaned_data.pop("earlier", None)
        reason = self.cleaned_data.get("reason") or (earlier.reason if earlier else "")
        if not reason and "reason" not in self.errors:
            self.add_error("reason", NO_REASON)
        return self.cleaned_data | {"reason": reason}


class CorrectReasonForm(ActionForm):
    reason = ReasonField(error_messages={"required": NO_REASON})

    def __init__(self, data, rows, **options):
        super().__init__(data, rows, **options)
        self.fields["reason"].initial = rows[0].reason
