from marketplace.adminsite import theme
from marketplace.adminsite.actions import ActionForm, ReasonField


class RejectForm(ActionForm):
    # Without autofocus: on the desk, keys that are typed outside of it do something else.
    reason = ReasonField(
        widget=theme.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Write a reason."},
        help_text="Its author reads it: say what to change.",
    )
