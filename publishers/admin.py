from django.contrib import admin

from agents.admin.forms import AgentField
from marketplace.addresses import checked
from marketplace.adminsite.base import MenuItem, OptionalMixin, StaffModelAdmin, link_to
from marketplace.adminsite.edits import EditForm
from marketplace.adminsite.panels import panel
from marketplace.api.links import base_url
from marketplace.features import has_submissions
from publishers.models import Publisher


class PublisherForm(EditForm):
    agent = AgentField(
        help_text="Its handle. The runs submit as this agent. You cannot change it later."
    )

    def clean_issuer(self):
        issuer = self.cleaned_data["issuer"]
        checked(issuer)
        return issuer


def tokens_panel(_admin, request, publisher):
    """The newest tokens that its runs have exchanged."""
    tokens = publisher.agent.tokens.filter(
        provenance__issuer=publisher.issuer, created_at__gte=publisher.created_at
    )

    def line(token):
        return (
            token.name,
            f"{token.created_at:%d %b %Y, %H:%M}",
            link_to(request, "agents.agenttoken", token.pk),
        )

    return panel("Tokens of runs", tokens, line)


@admin.register(Publisher)
class PublisherAdmin(OptionalMixin, StaffModelAdmin):
    """The projects whose runs of CI may submit (contract 31). No role manages them."""

    menu = MenuItem("Agents", 24, "rocket_launch")
    form = PublisherForm
    list_display = ["project", "issuer", "runs", "agent", "last_used_at"]
    list_select_related = ["agent"]
    search_fields = ["project"]
    search_help_text = "A whole project, as its claim has it"
    fieldsets = [
        (None, {"fields": ["agent", "issuer", "audience", "project_claim", "project"]}),
        (
            "Its runs",
            {"fields": ["ref", "ref_type", "any_branch", "protected_only", "environment"]},
        ),
        ("Use", {"fields": ["created_at", "last_used_at"]}),
    ]
    readonly_fields = ["created_at", "last_used_at"]
    recorded_fields = [name for _, options in fieldsets[:2] for name in options["fields"]]
    panels = [tokens_panel]

    def exists(self):
        return has_submissions()

    def get_fieldsets(self, request, obj=None):
        shown = super().get_fieldsets(request, obj)
        return shown if obj else shown[:-1]

    def get_readonly_fields(self, request, obj=None):
        fields = super().get_readonly_fields(request, obj)
        return [*fields, "agent"] if obj else fields

    def get_changeform_initial_data(self, request):
        return {"audience": base_url(request)} | super().get_changeform_initial_data(request)

    def find(self, queryset, term):
        return queryset.filter(project=term)

    @admin.display(description="runs of")
    def runs(self, publisher):
        """The runs that it allows, in words."""
        kind = publisher.get_ref_type_display().lower()
        ref = "any branch" if publisher.any_branch else f"{kind} {publisher.ref}".strip()
        environment = f"environment {publisher.environment}" if publisher.environment else ""
        protected = "protected only" if publisher.protected_only else ""
        return ", ".join(filter(None, [ref, environment, protected]))
