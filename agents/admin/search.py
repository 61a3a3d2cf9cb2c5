from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.shortcuts import redirect
from django.urls import path
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from agents import tokens
from agents.models import Agent, AgentToken

MAX_AGENTS = 100  # of which a search shows tokens and claims


def agents_by_handle(term):
    """The keys of the first agents whose handle begins with the term.

    In a query of its own: as a subquery it would not use its index.
    """
    agents = Agent.objects.filter(handle__startswith=term.lower()).order_by("handle")
    return list(agents.values_list("pk", flat=True)[:MAX_AGENTS])


class TokenSearchMixin:
    """A list with a search box into which a whole token may be pasted.

    The box posts, so that no token stands in an address, which browsers keep and proxies log.
    """

    searches_by_post = True

    def get_urls(self):
        view = self.admin_site.admin_view(self.find_view)
        return [path("find/", view, name=self.url_name("find")), *super().get_urls()]

    @method_decorator([require_POST, sensitive_post_parameters()])
    def find_view(self, request):
        if not self.has_view_permission(request):
            raise PermissionDenied
        term = request.POST.get("q", "").strip()
        if not tokens.is_well_formed(term):
            return redirect(f"{self.url_of('changelist')}?{urlencode({'q': term})}")
        token = None
        if request.user.has_perm("agents.view_agenttoken"):
            token = AgentToken.objects.filter(digest=tokens.digest(term)).first()
        if token is None:
            self.message_user(request, "No agent has this token.", messages.WARNING)
            return redirect(self.url_of("changelist"))
        return redirect("admin:agents_agenttoken_change", token.pk)

    def get_search_results(self, request, queryset, search_term):
        if tokens.is_well_formed(search_term.strip()):
            # Finding it would teach staff to put tokens into addresses.
            self.message_user(
                request, "Paste a token into the search box, not into an address.", messages.WARNING
            )
            return queryset.none(), False
        return super().get_search_results(request, queryset, search_term)
