"""The console: an operator's agents, and what each of them has (lifecycle 17)."""

import re

from django.db.models import Max
from django.middleware.csrf import rotate_token
from django.shortcuts import redirect, render

from agents import handles
from agents.models import OperatorKey
from operators import sessions
from operators.actions import ACTIONS
from operators.overview import Overview
from operators.pages import Console, OperatorPage, count_key, too_many, with_limit

MAX_AGENTS = 50  # on a page


class AgentsPage(OperatorPage):
    """The operator's agents; for who has not logged in, the form that takes a key."""

    def get(self, request):
        session = sessions.session_of(request)
        if session is None:
            return render(request, "operator/log_in.html", {"done": done(request)})
        claims = session.key.claims.claimed().select_related("agent")
        if re.fullmatch(handles.PATTERN, after := request.GET.get("after", "")):
            claims = claims.filter(agent__handle__gt=after)
        claims = claims.annotate(last_used_at=Max("agent__tokens__last_used_at"))
        shown = list(claims.order_by("agent__handle")[: MAX_AGENTS + 1])
        context = {
            "key": session.key,
            "claims": shown[:MAX_AGENTS],
            "after": shown[MAX_AGENTS - 1].agent.handle if len(shown) > MAX_AGENTS else None,
            "done": done(request),
        }
        return render(request, "operator/agents.html", context)

    def post(self, request):
        """Log in: each try counts, and an unknown key costs what a pending or ended one does."""
        usage = count_key(request)
        if usage.is_exceeded:
            return too_many(request, usage)
        key = OperatorKey.objects.of_text(request.POST.get("key", "").strip())
        if key is None:
            response = render(request, "operator/log_in.html", {"is_refused": True}, status=400)
        else:
            rotate_token(request)
            response = redirect("operator")
            if previous := sessions.session_of(request):
                previous.delete()
            sessions.begin(response, key)
        return with_limit(response, usage)


class AgentPage(Console):
    def get(self, request, handle):
        claim = self.claim_of(handle)
        context = {
            "key": self.key,
            "claim": claim,
            "agent": claim.agent,
            "shown": Overview(request, claim.agent),
            "done": done(request),
        }
        return render(request, "operator/agent.html", context)


class LogOut(Console):
    http_method_names = ["post"]

    def post(self, request):
        self.session.delete()
        return logged_out()


class EndSessions(Console):
    """Log out here and everywhere else."""

    def get(self, request):
        return render(request, "operator/end_sessions.html", {"key": self.key})

    def post(self, request):
        self.key.sessions.all().delete()
        return logged_out()


def logged_out():
    response = redirect("operator")
    sessions.forget(response)
    return response


def done(request):
    """What has just been done, in words."""
    action = ACTIONS.get(request.GET.get("done"))
    return action and action.done
