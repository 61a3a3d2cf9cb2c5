from shlex import quote

from django.contrib import admin, messages
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q
from django.template.defaultfilters import pluralize
from django.urls import reverse

from agents.admin.filters import RevokedFilter
from agents.admin.releasing import ReleaseClaimsMixin
from agents.admin.revoking import revoking
from agents.admin.search import MAX_AGENTS, TokenSearchMixin, find_claims
from agents.admin.suspending import SuspendAgentsMixin
from agents.models import Agent, OperatorClaim, OperatorKey
from marketplace.adminsite.actions import confirmed_action, offered_to
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin, link_to
from marketplace.adminsite.panels import panel
from operators.deleting import delete
from operators.models import OperatorSession

MAX_COUNTED = 100  # agents or sessions that a list counts for one operator
SHOWN_NAMES = 3  # names of one operator in a list
MAX_AT_ONCE = 200  # agents that an action suspends or releases


def agents_panel(_admin, request, key):
    may_list = request.user.has_perm("agents.view_operatorclaim")
    url = reverse("admin:agents_operatorclaim_changelist")
    return panel(
        "Agents",
        key.claims.claimed().select_related("agent").order_by("-id"),
        lambda claim: (
            claim.agent,
            f"{claim.agent.state}, claimed {claim.claimed_at:%d %b %Y, %H:%M}",
            link_to(request, "agents.agent", claim.agent_id),
        ),
        f"{url}?key__id__exact={key.pk}&status=claimed" if may_list else "",
    )


def names_panel(_admin, request, key):
    """The names that the operator entered. Only staff verify them."""
    may_see_addresses = request.user.has_perm("agents.view_operatorclaim")

    def line(claim):
        name = claim.verified_operator or f"{claim.operator_name} (not verified)"
        return name, f"{claim.operator_email} (not verified)" if may_see_addresses else "", ""

    people = key.claims.claimed().select_related("key")
    people = people.order_by("operator_name", "operator_email", "-claimed_at")
    return panel("Names", people.distinct("operator_name", "operator_email"), line)


def personal_data_panel(_admin, request, key):
    """The commands for each address. Anybody entered it: no shell may run what is in it."""
    if not request.user.is_superuser:
        return None
    claims = key.claims.claimed().order_by("operator_email").distinct("operator_email")
    commands = {
        "export_person": "prints what is stored, as JSON",
        "erase_person": "says what goes and what stays, and changes nothing without --yes",
    }
    rows = [
        (f"python manage.py {command} {quote(email)}", note, "")
        for email in claims.values_list("operator_email", flat=True)
        for command, note in commands.items()
    ]
    return panel("Commands for personal data (addresses not verified)", rows, lambda row: row)


def sessions_panel(_admin, _request, key):
    return panel(
        "Open sessions",
        sorted(key.session_starts, reverse=True),
        lambda start: (
            f"since {start:%d %b %Y, %H:%M}",
            f"until {start + OperatorSession.LIFETIME:%H:%M}",
            "",
        ),
    )


@confirmed_action(
    "Delete",
    permissions=["erase"],
    danger=True,
    text="You cannot undo this. Its tokens end for good, everything that it has is uninstalled, "
    "its reviews, name and description are erased, what it has pending is withdrawn, and its claim "
    "is released. Published entries stay, and nobody else can get its handle.",
    refusal="Nothing to delete: all of these are deleted.",
)
@offered_to(lambda agent: agent.deleted_at is None)
def delete_agents(model_admin, request, queryset):
    model_admin.change_each(request, queryset, "Deleted.", delete)


admin.site.get_model_admin(Agent).extend(actions=[delete_agents])


class EndedFilter(RevokedFilter):
    title = "ended"


@admin.register(OperatorKey)
class OperatorKeyAdmin(
    SuspendAgentsMixin, ReleaseClaimsMixin, TokenSearchMixin, ReadOnlyModelAdmin
):
    """The people behind the agents, each identified by the key that opens the console."""

    menu = MenuItem("Agents", 22, "support_agent")
    list_display = [
        *("names", "hint", "agents", "last_used_at", "open_sessions", "state"),
        "revocation_reason",
    ]
    fields = [
        *("hint", "agents", "last_used_at", "open_sessions", "created_at", "confirmed_at"),
        *("verified_at", "state", "revoked_at", "revocation_reason"),
    ]
    list_filter = [EndedFilter]
    search_fields = ["hint"]  # see `find`
    search_help_text = "A word of a name or handle, start of a key, whole key, whole e-mail address"
    actions = [
        *("verify", "end_verification", "end_sessions", "revoke", "suspend", "release_claim")
    ]
    pages = TokenSearchMixin.search_pages
    panels = [agents_panel, names_panel, sessions_panel, personal_data_panel]

    def get_queryset(self, request):
        """Operators whose key was confirmed at least once, with their agents and sessions."""
        claims = OperatorClaim.objects.claimed().filter(key=OuterRef("pk"))
        sessions = OperatorSession.objects.open().filter(key=OuterRef("pk"))
        return (
            super()
            .get_queryset(request)
            .confirmed()
            .annotate(
                claim_names=ArraySubquery(claims.values("operator_name")[: MAX_COUNTED + 1]),
                session_starts=ArraySubquery(sessions.values("created_at")[: MAX_COUNTED + 1]),
            )
        )

    @admin.display(description="names (not verified)")
    def names(self, key):
        names = sorted(set(key.claim_names))
        others = len(names) - SHOWN_NAMES
        listed = ", ".join(names[:SHOWN_NAMES]) or "nobody"
        return f"{listed} and {others} other{pluralize(others)}" if others > 0 else listed

    def agents(self, key):
        return count_of(key.claim_names)

    def open_sessions(self, key):
        return count_of(key.session_starts)

    def find(self, queryset, term):
        claims = find_claims(OperatorClaim.objects.claimed(), term).filter(key__isnull=False)
        keys = list(claims.values_list("key", flat=True)[:MAX_AGENTS])
        return queryset.filter(Q(pk__in=keys) | Q(hint__startswith=term))

    def attention(self):
        leaked = OperatorKey.objects.confirmed().leaked_this_week()
        return [("operator keys reported as leaked this week", leaked, "?revoked_at=leaked")]

    # What staff do

    @confirmed_action(
        "Mark as verified",
        permissions=["act"],
        text="Do this if you know who it is. Pages of versions that its agents submitted show the "
        "name. A name that it gives with a later claim is not verified.",
        facts=lambda self, keys: [(key, self.names(key)) for key in keys],
    )
    @offered_to(lambda key: key.claim_names)
    def verify(self, request, queryset):
        self.change_each(request, queryset, "Verified.", OperatorKey.verify)

    @confirmed_action(
        "Remove the verification",
        permissions=["act"],
        text="Pages no longer show its name.",
        refusal="Nothing to remove: none of these is verified.",
    )
    @offered_to(lambda key: key.verified_at is not None)
    def end_verification(self, request, queryset):
        self.change_each(request, queryset, "No longer verified.", OperatorKey.end_verification)

    @confirmed_action(
        "End the sessions",
        permissions=["act"],
        text="To use the console again, the operator must enter the key.",
        facts=lambda self, keys: [(key, f"{self.open_sessions(key)} open") for key in keys],
    )
    @offered_to(lambda key: key.session_starts)
    def end_sessions(self, request, queryset):
        self.change_each(
            request,
            queryset,
            "Ended the sessions.",
            lambda key: key.sessions.all().delete(),
            then="The console asks for the key again.",
        )

    revoke = revoking(
        "Revoke the key",
        text="A revoked key never works again, and its sessions end. The agents stay claimed and "
        "keep working, with their limits. A paused agent stays paused until you release its claim. "
        "To get another key, the operator claims an agent again.",
        facts=lambda self, keys: [(key, self.names(key)) for key in keys],
        then="They no longer open the console.",
    )

    @admin.action(description="Suspend the agents", permissions=["suspend"])
    @offered_to(lambda key: key.claim_names)
    def suspend(self, request, queryset):
        agents = self.agents_of(request, queryset, suspended_at=None)
        return self.suspend_agents(request, queryset, agents)

    @admin.action(description="Release the claims", permissions=["suspend"])
    @offered_to(lambda key: key.claim_names)
    def release_claim(self, request, queryset):
        return self.release_claims(request, queryset, self.agents_of(request, queryset))

    def agents_of(self, request, keys, **conditions):
        """The agents claimed with these keys, at most MAX_AT_ONCE."""
        claims = OperatorClaim.objects.claimed().filter(key__in=list(keys))
        agents = Agent.objects.filter(claim__in=claims, **conditions).order_by("pk")
        ids = list(agents.values_list("pk", flat=True)[: MAX_AT_ONCE + 1])
        if len(ids) > MAX_AT_ONCE:
            text = f"Only {MAX_AT_ONCE} agents at a time: repeat this for the others."
            self.message_user(request, text, messages.WARNING)
        return Agent.objects.filter(pk__in=ids[:MAX_AT_ONCE])


def count_of(rows):
    return f"more than {MAX_COUNTED}" if len(rows) > MAX_COUNTED else len(rows)
