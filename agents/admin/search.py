from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Q
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from agents import tokens
from agents.models import Agent, AgentToken, Invitation, OperatorClaim, OperatorKey
from marketplace.adminsite.base import link_to
from marketplace.adminsite.pages import AdminPage
from marketplace.secrets import INVITATION, OPERATOR, holds_token

MAX_AGENTS = 100  # of which a search shows tokens and claims


def agents_named(term):
    """The keys of the newest agents with the words of the term in their names.

    In a query of its own: as a subquery it would not use its index.
    """
    return list(Agent.objects.named(term).values_list("pk", flat=True)[:MAX_AGENTS])


def find_claims(claims, term):
    """The claims with this e-mail address, or with the words of the term in a name.

    The name is the operator's or the agent's.
    """
    if "@" in term:
        return claims.of_address(term)
    operated = list(OperatorClaim.objects.named(term).values_list("pk", flat=True)[:MAX_AGENTS])
    return claims.filter(Q(agent__in=agents_named(term)) | Q(pk__in=operated))


def rows_of_kind(text):
    """The rows to search for a secret of this kind, and the message if none has it."""
    if OPERATOR in text:
        return OperatorKey.objects.confirmed(), "No operator has this key."
    if INVITATION in text:
        return Invitation.objects.all(), "This invitation does not exist."
    return AgentToken.objects.all(), "No agent has this token."


class TokenSearchMixin:
    """A list with a search box into which a whole token or operator key may be pasted.

    The box uses POST, so that no secret is in a URL, which browsers store and proxies log.
    """

    searches_by_post = True

    @method_decorator([require_POST, sensitive_post_parameters()])
    def find_view(self, request):
        term = request.POST.get("q", "").strip()
        if not holds_token(term):
            return redirect(f"{self.url_of('changelist')}?{urlencode({'q': term})}")
        rows, refusal = rows_of_kind(term)
        row = rows.filter(digest=tokens.digest(term)).first()
        if row is None or not (page := link_to(request, row._meta.label_lower, row.pk)):
            self.message_user(request, refusal, messages.WARNING)
            return redirect(self.url_of("changelist"))
        return redirect(page)

    search_pages = [AdminPage("find/", "find", find_view)]

    def get_search_results(self, request, queryset, search_term):
        if holds_token(search_term):
            # A match would teach staff to put tokens into URLs.
            text = "Paste a token or key into the search box, not into a URL."
            self.message_user(request, text, messages.WARNING)
            return queryset.none(), False
        return super().get_search_results(request, queryset, search_term)
