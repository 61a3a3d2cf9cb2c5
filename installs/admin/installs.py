from datetime import timedelta

from django.contrib import admin
from django.db.models import Case, Count, F, Value, When
from django.template.defaultfilters import truncatechars
from django.urls import reverse
from django.utils import timezone

from catalogue.models import Persona, Skill
from installs.admin.versions import version_of, with_versions
from installs.models import PersonaInstall, SkillInstall
from marketplace.adminsite.base import MenuItem, ReadOnlyModelAdmin, WholeNameSearchMixin, link_to
from marketplace.adminsite.filters import ChoiceFilter
from marketplace.adminsite.panels import Link, table

MAX_COUNTED = 10_000  # of the newest installs, to rank skills


class PresentFilter(ChoiceFilter):
    title, parameter_name = "state", "present"
    options = {
        "yes": ("installed", lambda installs: installs.present()),
        "no": ("uninstalled", lambda installs: installs.exclude(removed_at=None)),
    }


class InstallAdmin(WholeNameSearchMixin, ReadOnlyModelAdmin):
    search_help_text = "A whole slug or handle"
    in_totals = True
    counted_by_day = "installed_at"

    def get_queryset(self, request):
        unseen = self.model.Entry.long_columns(f"{self.model.kind}__")
        installs = super().get_queryset(request).defer(*unseen)
        return with_operators(with_versions(installs))

    @admin.display(description="version")
    def version(self, install):
        return version_of(install)

    @admin.display(description="operator (not verified)", empty_value="none")
    def operator(self, install):
        return install.operator or None


@admin.register(SkillInstall)
class SkillInstallAdmin(InstallAdmin):
    menu = MenuItem("Activity", 33, "download")
    list_display = [
        *("skill", "agent", "version", "operator", "runtime_start", "installed_at", "removed_at")
    ]
    list_filter = [PresentFilter]
    list_select_related = ["skill", "agent"]
    search_fields = ["skill__slug", "agent__handle"]

    @admin.display(description="runtime")
    def runtime_start(self, install):
        """A runtime may be very long. The install's own page shows all of it."""
        return truncatechars(install.runtime, 64)

    def rankings(self, request):
        """The skills of the newest installs, of at most a week and MAX_COUNTED of them."""
        week = timezone.now() - timedelta(days=7)
        newest = SkillInstall.objects.order_by("-id").values("pk")[:MAX_COUNTED]
        installs = SkillInstall.objects.filter(pk__in=newest, installed_at__gte=week)
        skills = installs.order_by().values_list("skill", "skill__slug").annotate(Count("pk"))
        return [
            {
                "title": "Most installed skills this week",
                "note": f"of the newest {MAX_COUNTED:,} installs",
                "rows": [
                    (slug, f"{number:,}", link_to(request, "catalogue.skill", skill))
                    for skill, slug, number in skills.order_by("-pk__count", "skill")[:8]
                ],
            }
        ]


@admin.register(PersonaInstall)
class PersonaInstallAdmin(InstallAdmin):
    menu = MenuItem("Activity", 34, "person_add")
    list_display = [
        *("persona", "agent", "version", "operator", "is_active", "installed_at", "removed_at")
    ]
    list_select_related = ["persona", "agent"]
    list_filter = ["is_active", PresentFilter]
    search_fields = ["persona__slug", "agent__handle"]


def with_operators(installs):
    """Installs with the `handle` of the agent, and the operator of a claimed one."""
    claim = "agent__claim__"
    is_claimed = When(**{f"{claim}claimed_at__isnull": False}, then=f"{claim}operator_name")
    return installs.annotate(
        handle=F("agent__handle"),
        operator=Case(is_claimed, default=Value("")),
        operator_key=F(f"{claim}key"),
    )


def operator_of(request, install):
    if not install.operator:
        return "none"
    key = install.operator_key
    return Link(install.operator, link_to(request, "agents.operatorkey", key) if key else "")


def held_by(model_admin, request, entry):
    """The agents that have the entry: the newest installs, and a link to all of them."""
    [(_, holders)] = model_admin.holders_of([entry])
    kind = model_admin.opts.model_name
    return table(
        f"{'Still held' if entry.is_recalled else 'Held'} by {holders}",
        ["Agent", "Version", "Operator", "Installed"],
        with_operators(with_versions(entry.agent_installs.present())),
        lambda install: (
            Link(install.handle, link_to(request, "agents.agent", install.agent_id)),
            version_of(install),
            operator_of(request, install),
            f"{install.installed_at:%d %b %Y, %H:%M}",
        ),
        reverse(f"admin:installs_{kind}install_changelist")
        + f"?{kind}__id__exact={entry.pk}&present=yes",
    )


for model in (Skill, Persona):
    admin.site.get_model_admin(model).extend(panels=[held_by])
