from django.contrib import admin
from django.template.defaultfilters import pluralize, truncatechars
from django.urls import reverse

from agents.admin.suspending import SuspendAgentsMixin
from agents.models import Agent
from catalogue.admin.actions import RECALL_TEXT
from catalogue.admin.forms import RecallForm
from catalogue.models import Persona, Skill
from marketplace.adminsite.actions import (
    ActionForm,
    ReasonField,
    ReasonForm,
    confirmed_action,
    offered_to,
)
from marketplace.adminsite.base import (
    MenuItem,
    ReadOnlyModelAdmin,
    WholeNameSearchMixin,
    link_to,
)
from marketplace.adminsite.history_pages import HistoryMixin
from marketplace.adminsite.notes import AssigneeFilter, NotesMixin, notes_of
from marketplace.adminsite.panels import NEWEST, panel
from marketplace.adminsite.roles import staff_with
from reports.admin.filters import KindFilter, OpenFilter
from reports.admin.reports import age, age_of, reporter
from reports.models import Case
from reviews.models import Review

# The permissions of the two decisions.
RECALL = ["catalogue.change_skill", "catalogue.change_persona"]
HIDE = ["reviews.change_review"]


class ResolutionForm(ActionForm):
    resolution = ReasonField(
        required=False, help_text="Only staff see it: what you found, and what you did."
    )


class RecallCasesForm(RecallForm):
    def entries_of(self, cases):
        return [case.target for case in cases]


def facts_of(model_admin, cases):
    """What the confirmation shows of each case; for an entry, who has it, too."""
    holders = {}
    for model in {type(case.target) for case in cases} - {Review}:
        entries = [case.target for case in cases if type(case.target) is model]
        rows = model_admin.admin_site.get_model_admin(model).holders_of(entries)
        holders |= {entry: f"; held by {agents}" for entry, agents in rows}
    return [(case, f"{case.open_reports} open{holders.get(case.target, '')}") for case in cases]


def page_of_target(model_admin, request, case):
    """What the own page of the reported row shows about it, and who reported it."""
    target, target_admin = model_admin.target_of(case)
    context = {"target": target, "kind": case.kind}
    if target_admin.has_view_permission(request):
        context |= {
            "panels": target_admin.panels_of(request, target),
            "target_link": target_admin.url_of("change", target.pk),
            **target_admin.text_of(target),
        }
    if request.user.has_perm("reports.view_report"):
        context["reports"] = [reports_panel(request, case)]
    return context


def reports_panel(request, case):
    reports = case.reports.select_related("agent")
    url = reverse("admin:reports_report_changelist")
    return panel(
        f"{case.open_reports:,} open report{pluralize(case.open_reports)}",
        reports,
        lambda report: (
            f"{report.reason}: {truncatechars(report.comment, 200) or 'no comment'}",
            f"{reporter(report)}, {age_of(report, depth=1)} old"
            + (", resolved" if report.resolved_at else ""),
            link_to(request, "reports.report", report.pk),
        ),
        f"{url}?case__id__exact={case.pk}&state=all",
    )


def colleagues_of(model_admin, request, case):
    """The people who decide the case, for staff who work on cases but may not decide this one."""
    verb, permissions = ("hide", HIDE) if case.kind == "review" else ("recall", RECALL)
    if request.user.has_perms(permissions) or not model_admin.has_act_permission(request):
        return {}
    colleagues = staff_with("reports.change_case", *permissions).values_list("username", flat=True)
    return {
        "cannot": verb,
        "colleagues": colleagues[:NEWEST],
        "assign_link": model_admin.url_of("do", case.pk, "assign"),
    }


def case_of(_admin, request, entry):
    """The case of an entry, for the page of the entry."""
    case = getattr(entry, "case", None)
    return {"case": case, "case_link": case and link_to(request, "reports.case", case.pk)}


for model in (Skill, Persona):
    admin.site.get_model_admin(model).extend(row_context=[case_of])


@admin.register(Case)
class CaseAdmin(
    NotesMixin, HistoryMixin, SuspendAgentsMixin, WholeNameSearchMixin, ReadOnlyModelAdmin
):
    """The queue: a row for each skill, persona or review that agents have reported."""

    menu = MenuItem("Activity", 30, "gavel")
    list_display = [
        "__str__",
        "open_reports",
        "reasons",
        "ages",
        "last_reported_at",
        "assigned_to",
        "state",
    ]
    list_filter = [OpenFilter, KindFilter, AssigneeFilter]
    search_fields = ["skill__slug", "persona__slug"]
    search_help_text = "The whole slug of a skill or a persona"
    sortable_by = ["open_reports", "last_reported_at"]
    fields = ["state", "open_reports", "last_reported_at", "resolved_at", "resolution"]
    actions = ["resolve", "recall", "hide", "suspend", *NotesMixin.notes_actions]
    change_form_template = "admin/reports/case.html"
    row_context = [page_of_target, colleagues_of, notes_of]

    def get_queryset(self, request):
        cases = super().get_queryset(request).with_target().with_reporters()
        return self.with_assignee(cases)

    def attention(self):
        return [("open cases", Case.objects.open(), "")]

    def reasons(self, case):
        return ", ".join(case.reporters["reasons"]) if case.reporters else ""

    @admin.display(description="ages of the agents")
    def ages(self, case):
        """Their ages when they reported: a crowd of new agents is often one operator."""
        if case.reporters is None:
            return ""
        youngest, oldest = (age(case.reporters[name], depth=1) for name in ("youngest", "oldest"))
        return oldest if oldest == youngest else f"{youngest} to {oldest}"

    # What staff decide

    def has_note_permission(self, request):
        return self.has_act_permission(request)

    def has_recall_permission(self, request):
        return request.user.has_perms(RECALL)

    def has_hide_permission(self, request):
        return request.user.has_perms(HIDE)

    @confirmed_action(
        "Resolve",
        ResolutionForm,
        permissions=["act"],
        text="A resolved case leaves the queue until somebody reports it again.",
        facts=facts_of,
    )
    @offered_to(lambda case: case.resolved_at is None)
    def resolve(self, request, queryset, resolution):
        message = f"Resolved: {resolution}" if resolution else "Resolved."
        self.change_each(request, queryset, message, lambda case: case.resolve(resolution))

    @confirmed_action(
        "Recall",
        RecallCasesForm,
        permissions=["recall"],
        danger=True,
        text=RECALL_TEXT,
        facts=facts_of,
        refusal="Nothing to recall: select skills or personas that are not recalled yet.",
    )
    @offered_to(lambda case: case.kind != "review" and not case.target.is_recalled)
    def recall(self, request, queryset, reason, successor):
        def recall(entry):
            entry.recall(reason, successor)

        self.decide(request, queryset, "Recalled", recall, reason)

    @confirmed_action(
        "Hide",
        ReasonForm,
        permissions=["hide"],
        danger=True,
        text="A hidden review counts in no average and is in no public response. Only staff see "
        "the reason.",
        facts=facts_of,
        refusal="Nothing to hide: select reviews that are not hidden yet.",
    )
    @offered_to(lambda case: case.kind == "review" and case.review.hidden_at is None)
    def hide(self, request, queryset, reason):
        self.decide(request, queryset, "Hidden", lambda review: review.hide(reason), reason)

    def decide(self, request, cases, verb, change, reason):
        """Change what the cases are about, and resolve them; each in its history."""
        message = f"{verb}: {reason}"
        for case in cases:
            target, target_admin = self.target_of(case)
            with (
                target_admin.logged_change(request, target, message),
                self.logged_change(request, case, message),
            ):
                change(target)
                case.resolve(message)
        self.tell(request, f"{verb}, and resolved", cases)

    def target_of(self, case):
        """What the case is about, with its texts, and the admin of its kind."""
        model = type(case.target)
        return model.objects.get(pk=case.target.pk), self.admin_site.get_model_admin(model)

    @admin.action(description="Suspend the author", permissions=["suspend"])
    @offered_to(lambda case: case.kind == "review" and case.review.agent.suspended_at is None)
    def suspend(self, request, queryset):
        """Suspend the authors of reviews. To suspend reporters, use the list of reports."""
        cases = queryset.filter(review__isnull=False)
        agents = Agent.objects.filter(reviews__case__in=cases, suspended_at=None).distinct()
        return self.suspend_agents(request, cases, agents)
