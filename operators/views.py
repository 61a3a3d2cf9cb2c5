"""The console: an operator's agents, and what each of them has (contract 19)."""

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.shortcuts import redirect, render
from django.urls import reverse

from audit.models import AuditEvent
from marketplace.shown_once import shown_once
from operators import sessions
from operators.agents_list import AgentsList
from operators.log_in import LogInPage, by
from operators.overview import Overview
from operators.pages import WITH_SCRIPT, Console, handle_in, way_back
from people.sessions import member_of


class AgentsPage(LogInPage):
    """The operator's agents, or the form that takes a key.

    A visitor who came from the page of an `agent`, or from the page in `next`, returns there after
    logging in.
    """

    def get(self, request):
        session = sessions.session_of(request)
        if session is None:
            return self.ask(request)
        if address := way_back(request):
            return redirect(address)
        context = {"key": session.key, "list": AgentsList(session.key, request.GET)}
        return render(request, "operator/agents.html", context)

    def post(self, request):
        handle = handle_in(request, "agent")
        page = reverse("operator-agent", args=[handle]) if handle else "operator"
        return self.log_in(request, way_back(request) or page)

    def ask(self, request, *, refused=None, status=200):
        context = {
            "agent": handle_in(request, "agent"),
            "back": way_back(request),
            # A link on another site led here: a browser sends no strict cookie with it.
            "is_from_elsewhere": request.headers.get("Sec-Fetch-Site") == "cross-site",
            "refused": refused,
            "has_provider": bool(settings.OIDC_ISSUER),
            "member": member_of(request),
        }
        return render(request, "operator/log_in.html", context, status=status)


class AgentConsole(Console):
    def get(self, request, handle):
        claim = self.claim_of(handle)
        overview = Overview(request, claim)
        return self.render("operator/agent.html", claim=claim, agent=claim.agent, overview=overview)


class TokenPage(Console):
    """A token that this operator has just issued."""

    content_security_policy = WITH_SCRIPT

    def get(self, request, handle, token_id):
        agent, issued = self.claim_of(handle).agent, shown_once(request)
        token = agent.tokens.valid().filter(public_id=token_id).first()
        if token is None or issued.get("key") != self.key.pk:
            return redirect("operator-agent", handle)
        context = {"agent": agent, "token": token, "text": issued["text"]}
        return self.render("operator/token.html", **context)


class LogOut(Console):
    http_method_names = ["post"]

    @transaction.atomic
    def post(self, request):
        self.session.delete()
        AuditEvent.objects.record("log_out", self.key, by=by(self.key))
        return logged_out(request, "You are logged out.")


class EndSessions(Console):
    """Log out here and everywhere else."""

    def get(self, request):
        return self.render("operator/end_sessions.html")

    @transaction.atomic
    def post(self, request):
        self.key.sessions.all().delete()
        AuditEvent.objects.record("end_sessions", self.key, by=by(self.key))
        return logged_out(request, "All sessions of your key have ended. The key keeps working.")


def logged_out(request, message):
    messages.success(request, message)
    response = redirect("operator")
    sessions.forget(response)
    return response
