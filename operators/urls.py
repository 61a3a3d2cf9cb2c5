from django.urls import path, re_path

from agents import handles
from marketplace.models import SLUG
from operators.actions import ACTIONS
from operators.claim_page import ClaimView
from operators.exporting import Export
from operators.replacing import ReplaceRecalled
from operators.updating import UpdateSkill
from operators.views import AgentConsole, AgentsPage, EndSessions, LogOut, TokenPage

AGENT = rf"^operator/agents/(?P<handle>{handles.PATTERN})"

urlpatterns = [
    path("claim/<slug:secret>", ClaimView.as_view(), name="claim"),
    re_path(r"^operator/?$", AgentsPage.as_view(), name="operator"),
    re_path(r"^operator/log-out/?$", LogOut.as_view(), name="operator-log-out"),
    re_path(r"^operator/end-sessions/?$", EndSessions.as_view(), name="operator-end-sessions"),
    re_path(
        rf"^operator/replace-(?P<kind>skill|persona)/(?P<slug>{SLUG})(?:/(?P<number>[0-9]{{1,9}}))?/?$",
        ReplaceRecalled.as_view(),
        name="operator-replace",
    ),
    re_path(
        rf"^operator/update-skill/(?P<slug>{SLUG})/?$",
        UpdateSkill.as_view(),
        name="operator-update-skill",
    ),
    re_path(rf"{AGENT}/?$", AgentConsole.as_view(), name="operator-agent"),
    re_path(rf"{AGENT}/export/?$", Export.as_view(), name="operator-export"),
    re_path(rf"{AGENT}/tokens/(?P<token_id>\w+)/?$", TokenPage.as_view(), name="operator-token"),
    *(
        re_path(
            rf"{AGENT}/{name}{action.view_class.subject_path}/?$", action, name=f"operator-{name}"
        )
        for name, action in ACTIONS.items()
    ),
]
