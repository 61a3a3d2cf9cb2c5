"""The page on which a person connects a client with one of their agents (contract 35.20)."""

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.http import Http404, JsonResponse
from django.shortcuts import render

from agents import tokens
from agents.models import Agent
from connections import newcomers, oauth
from connections.exceptions import ClientGone, PageAnswered, TooManyConnections
from connections.forms import ConsentForm
from connections.models import AuthorizationCode, Connection, OAuthClient
from connections.models.codes import code_text
from connections.redirect_uris import host_of, is_loopback
from marketplace.hops import HERE, has_hopped, hop
from marketplace.ratelimits.client_address import client_address
from marketplace.ratelimits.windows import Caller, count
from marketplace.secrets import random_text
from marketplace.shown_once import redirect_to_show, shown_once
from operators.actions.base import note_change
from operators.log_in import LogInPage, enter
from operators.pages import CONTENT_SECURITY_POLICY, Console, too_many, with_limits

PARAMETERS = {
    *("response_type", "client_id", "redirect_uri", "scope", "state", "resource"),
    *("code_challenge", "code_challenge_method"),
}
UNKNOWN = (
    "This marketplace does not know the app that sent you here, or staff have blocked it. In the "
    "app, remove this connection and add it again."
)
WRONG_CALLBACK = (
    "The app wants the answer at an address that it did not register. If you trust the app, remove "
    "this connection there and add it again."
)
SALT = "connections.page"
SECONDS = 20 * 60  # in which a page can be answered
# Chrome applies `form-action` to every redirect that follows a form: to the callback, whose host
# only the client knows, and on to what that opens, such as `claude://`. No list can name all.
WITHOUT_FORM_ACTION = CONTENT_SECURITY_POLICY.replace("form-action 'self'; ", "")


class Connect(LogInPage, Console):
    """GET shows who requests what; POST is the person's answer, which leads to the callback.

    Without a session, the page asks for the key first, and only then tells the client anything:
    a link to this page must not lead strangers on to the address of a client that registered
    itself.
    """

    content_security_policy = WITHOUT_FORM_ACTION
    # A client may open it as a popup and wait for its callback there. With another policy, the
    # browser would tell the client at once that the popup is closed.
    opener_policy = "unsafe-none"
    parameters = {*PARAMETERS, HERE}

    def refusal(self):
        request = self.request
        self.server = oauth.OAuthServer(request)
        self.asked = oauth.OAuthRequest("GET", dict(request.GET.lists()))
        error = self.check()
        if error and not error.redirect_uri:
            return self.without_callback(error)
        if {"key", "email"} & request.POST.keys():
            return None
        if (refused := super().refusal()) is not None:
            return refused
        return error and self.server.handle_error_response(self.asked, error)

    def check(self):
        """The error of the client's request, or None. One without `redirect_uri` is for a page."""
        try:
            self.grant = self.server.get_consent_grant(self.asked)
        except oauth.OAuth2Error as error:
            return error
        return None

    def without_callback(self, error):
        """The page for a request whose client or address nobody has registered.

        Before it opens a browser, a client may ask whether it is still known, and then registers
        anew. One that staff have blocked must not.
        """
        request = self.request
        is_unknown = isinstance(error, oauth.InvalidClientError)
        sentence = UNKNOWN if is_unknown else WRONG_CALLBACK
        known = OAuthClient.objects.of_id(self.asked.payload.client_id)
        if known is None and not request.accepts("text/html"):
            content = {"error": error.error, "error_description": sentence}
            return JsonResponse(content, status=401)
        context = {"sentence": sentence}
        return render(request, "operator/no_callback.html", context, status=400)

    @property
    def host(self):
        """The host that gets the answer, or "" for an app on the person's own computer."""
        uri = self.asked.payload.redirect_uri
        return "" if is_loopback(uri) else host_of(uri)

    @property
    def client(self):
        return self.asked.client.row

    @property
    def scopes(self):
        return self.asked.scope.split()

    def ask_for_key(self):
        request = self.request
        is_arriving = request.method != "POST" and not has_hopped(request)
        return hop(request, "Connecting") if is_arriving else self.ask(request)

    def ask(self, request, *, refused=None, form=None, status=200):
        has_provider = bool(settings.OIDC_ISSUER)
        context = {"host": self.host, "refused": refused, "has_provider": has_provider}
        if newcomers.are_welcome():
            context["form"] = form or newcomers.NewcomerForm()
            context["page"] = newcomers.page_for(self.path)
        return render(request, "operator/connect_log_in.html", context, status=status)

    def get(self, request):
        return self.show(ConsentForm(self.key, self.scopes))

    def show(self, form, *, status=200, **context):
        page = {"path": self.path, "session": str(self.session.pk), "nonce": random_text(22)}
        context |= {"host": self.host, "client": self.client, "form": form}
        context["page"] = signing.dumps(page, salt=SALT)
        context["max_connections"] = Connection.MAX_OF_KEY
        new_key = shown_once(self.request).get("new_key", "")
        context["new_key"] = tokens.digest(new_key) == self.key.digest and new_key
        return self.render("operator/connect.html", status=status, **context)

    @property
    def path(self):
        """The whole request of the client, which the page asks about."""
        return self.request.get_full_path()

    def post(self, request):
        if "key" in request.POST:
            return self.log_in(request, self.path)
        if "email" in request.POST:
            return self.enrol(request)
        if request.POST.get("answer") == "deny":
            return self.lead_back(None)
        return self.consent(request)

    def enrol(self, request):
        """Give a person who has no agent yet one with a key, and go on to the question."""
        form, page = newcomers.NewcomerForm(request.POST), request.POST.get("page", "")
        is_current = newcomers.is_page_for(self.path, page, SECONDS)
        if not (newcomers.are_welcome() and is_current and form.is_valid()):
            return self.ask(request, form=form, status=400)
        usage = count(request, "register", Caller(client_address(request)))
        if usage.is_exceeded:
            return too_many(request, usage)
        text = newcomers.key_text(page)
        key = newcomers.enrol(text, self.client, **form.cleaned_data)
        response = redirect_to_show(request.path, new_key=text)
        response["Location"] = self.path
        if not key.revoked_at:
            enter(request, response, key)
        return with_limits(response, usage)

    def consent(self, request):
        form = ConsentForm(self.key, self.scopes, request.POST)
        page = request.POST.get("page", "")
        is_stale = not self.is_current(page)
        if is_stale or request.POST.get("answer") != "allow" or not form.is_valid():
            return self.show(form, status=400, is_stale=is_stale)
        usage = self.count(form.cleaned_data["agent"])
        if usage.is_exceeded:
            return too_many(request, usage)
        try:
            return self.allow(form.cleaned_data, page)
        except PageAnswered:
            return self.render("operator/answered.html", status=409)
        except ClientGone:
            return self.without_callback(oauth.InvalidClientError())
        except TooManyConnections:
            return self.show(form, status=409, has_too_many=True)

    def count(self, agent):
        """Count the answer as an action, and a new agent as a registration; returns the Usage."""
        usage = count(self.request, "manage", Caller(f"operator {self.key.pk}"))
        if usage.is_exceeded or not agent.is_new:
            return usage
        return count(self.request, "register", Caller(client_address(self.request)))

    def is_current(self, page):
        """Whether this browser was shown the page, for this request and not long ago."""
        try:
            shown = signing.loads(page, salt=SALT, max_age=SECONDS)
        except signing.BadSignature:
            return False
        return (shown["path"], shown["session"]) == (self.path, str(self.session.pk))

    @transaction.atomic
    def allow(self, answer, page):
        """Lead to the callback with the one code of the page.

        Raises PageAnswered, ClientGone and TooManyConnections, which undo the registration of an
        agent.
        """
        agent, scopes = answer["agent"], answer["scopes"]
        claim = self.hold_claim(agent.handle) if agent.is_new else self.lock_claim(agent.handle)
        if claim is None:
            return self.ask(self.request)
        text = code_text(page, [*agent, *scopes])
        if not AuthorizationCode.objects.has_answer(page, text):
            if agent.is_new:
                claim = self.register(claim)
            elif not claim.is_full:
                raise Http404
            self.issue(claim, scopes, page, text)
        return self.lead_back(text)

    def lead_back(self, code):
        """The redirect to the callback; without a code, that of a refusal."""
        return self.server.create_authorization_response(self.asked, code, self.grant)

    def hold_claim(self, handle):
        """The claim whose operator a new agent gets; None if the session has just ended."""
        return self.claim_of(handle) if self.session.hold() else None

    def register(self, claim):
        """The claim of a new agent for the client, of the operator of another claim."""
        return Agent.objects.enrol_for(claim, name=self.client.name).claim

    def issue(self, claim, scopes, page, text):
        payload = self.asked.payload
        AuthorizationCode.objects.issue(
            page,
            text=text,
            client=self.client,
            key=self.key,
            claim=claim,
            scopes=scopes,
            redirect_uri=payload.redirect_uri,
            code_challenge=payload.data["code_challenge"],
        )
        host = self.host or "an app on this computer"
        note = f"Allowed {self.client}, {host}: {', '.join(scopes)}."
        note_change("allow_connection", claim.agent, claim.operator_name, note)
