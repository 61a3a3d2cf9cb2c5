from functools import partial

from django.contrib.contenttypes.fields import GenericRelation
from django.contrib.postgres.aggregates import ArrayAgg
from django.db import models, transaction
from django.db.models import Count, F, Max, Min, OuterRef, Q, Subquery
from django.db.models.functions import Extract, JSONObject
from django.utils import timezone

from agents.models import Agent
from catalogue.models import Kind, Persona, Skill
from marketplace.adminsite.history import StaffHistory
from marketplace.models import (
    Assignment,
    CountedQuerySet,
    Note,
    RandomTextField,
    make_public_id,
)
from reviews.models import Review


class CaseQuerySet(CountedQuerySet):
    def open(self):
        """Cases that staff still have to decide."""
        return self.filter(resolved_at=None)

    def lock_for(self, target):
        """The case of a skill, a persona or a review; created if there is none."""
        which = {type(target).__name__.lower(): target}
        self.get_or_create(**which, defaults={"last_reported_at": timezone.now()})
        return self.select_for_update(no_key=True).get(**which)

    def with_target(self):
        """Include the target of each case, without its texts."""
        return self.select_related("skill", "persona", "review__persona", "review__agent").defer(
            *Skill.long_columns("skill__"),
            *Persona.long_columns("persona__"),
            *Persona.long_columns("review__persona__"),
        )

    def with_reporters(self):
        """Annotate `reporters`: the reasons of the open reports, and the agents' ages at the time.

        `{"reasons": [...], "youngest": seconds, "oldest": seconds}`. For a resolved case, it covers
        all reports.
        """
        age = Extract(F("updated_at") - F("agent__created_at"), "epoch")
        about = JSONObject(
            reasons=ArrayAgg("reason", distinct=True), youngest=Min(age), oldest=Max(age)
        )
        is_decided_about = Q(resolved_at=None) | Q(case__resolved_at__isnull=False)
        reports = Report.objects.filter(is_decided_about, case=OuterRef("pk")).order_by()
        reports = reports.values("case")
        return self.annotate(reporters=Subquery(reports.values(about=about)))


class Case(models.Model):
    """All reports about one skill, persona or review, which staff decide together."""

    KINDS = [*Kind.values, "review"]  # of targets
    COUNTERS = {"open_reports": ("reports", Count("pk", filter=Q(resolved_at=None)))}

    skill = models.OneToOneField(Skill, models.PROTECT, null=True, related_name="case")
    persona = models.OneToOneField(Persona, models.PROTECT, null=True, related_name="case")
    review = models.OneToOneField(Review, models.PROTECT, null=True, related_name="case")
    open_reports = models.PositiveIntegerField(default=0)
    last_reported_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True)
    # The staff's last finding, which stays when the target is reported again.
    resolution = models.TextField("last resolution", blank=True)
    notes, assignments = GenericRelation(Note), GenericRelation(Assignment)

    objects = CaseQuerySet.as_manager()
    history = StaffHistory(excluded_fields=["created_at", "open_reports", "last_reported_at"])

    class Meta:
        ordering = ["-last_reported_at", "-id"]
        indexes = [
            # The orders of the queue.
            models.Index(
                F("last_reported_at").desc(),
                F("id").desc(),
                name="case_newest",
                condition=Q(resolved_at=None),
            ),
            models.Index(
                F("open_reports").desc(),
                F("id").desc(),
                name="case_most_reported",
                condition=Q(resolved_at=None),
            ),
            models.Index(F("last_reported_at").desc(), F("id").desc(), name="case_all"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(skill__isnull=False, persona=None, review=None)
                | Q(skill=None, persona__isnull=False, review=None)
                | Q(skill=None, persona=None, review__isnull=False),
                name="one_target_per_case",
            )
        ]

    def __str__(self):
        if self.kind == "review":
            return f"review of {self.review.persona} by {self.review.agent}"
        return f"{self.kind} {self.target}"

    @property
    def state(self):
        return "resolved" if self.resolved_at else "open"

    @property
    def kind(self):
        return next(kind for kind in self.KINDS if getattr(self, f"{kind}_id") is not None)

    @property
    def target(self):
        return getattr(self, self.kind)

    @transaction.atomic
    def resolve(self, resolution=""):
        """Take the case out of the queue, until it is reported again."""
        Case.objects.select_for_update(no_key=True).only("pk").get(pk=self.pk)
        now = timezone.now()
        self.reports.open().update(resolved_at=now)
        self.open_reports, self.resolved_at, self.resolution = 0, now, resolution
        self.save(update_fields=["open_reports", "resolved_at", "resolution"])
        Assignment.objects.assign(self, None)


class ReportQuerySet(models.QuerySet):
    def open(self):
        return self.filter(resolved_at=None)

    def with_case(self):
        """Include the agent and the case."""
        return self.select_related("agent").prefetch_related(
            models.Prefetch("case", Case.objects.with_target())
        )

    @transaction.atomic
    def submit(self, agent, target, *, reason, comment=""):
        """File the agent's one report about a target; returns it and whether it is new.

        A second report replaces the first and reopens the case (contract 18.2). If the review was
        deleted and written again since, the report counts as new and gets a new identifier.
        """
        agent.lock_active()
        case = Case.objects.lock_for(target)
        report = self.filter(agent=agent, case=case).first() or Report(agent=agent, case=case)
        if report.pk is None or report.resolved_at is not None:
            case.open_reports += 1
        is_new = report.pk is None or report.created_at < target.created_at
        if is_new:
            report.public_id, report.created_at = make_public_id("report"), timezone.now()
        report.reason, report.comment, report.resolved_at = reason, comment, None
        report.save()
        case.last_reported_at, case.resolved_at = report.updated_at, None
        case.save(update_fields=["open_reports", "last_reported_at", "resolved_at"])
        return report, is_new


class Report(models.Model):
    """One agent's statement of what is wrong with a skill, a persona or a review."""

    class Reason(models.TextChoices):
        MALICIOUS = "malicious"
        BROKEN = "broken"
        SPAM = "spam"
        LICENSE = "license"
        OTHER = "other"

    public_id = RandomTextField(partial(make_public_id, "report"), max_length=40)
    # The unique constraint begins with the agent and serves as this key's index.
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="reports", db_index=False)
    # report_newest serves as this one's.
    case = models.ForeignKey(Case, models.CASCADE, related_name="reports", db_index=False)
    reason = models.CharField(max_length=9, choices=Reason)
    comment = models.CharField(max_length=1000, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    resolved_at = models.DateTimeField(null=True)

    objects = ReportQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index("case", F("id").desc(), name="report_newest"),
            models.Index(F("id").desc(), name="report_open", condition=Q(resolved_at=None)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["agent", "case"], name="one_report_per_agent_and_case"),
            models.UniqueConstraint(fields=["public_id"], name="unique_report_public_id"),
        ]

    def __str__(self):
        return self.public_id

    @property
    def state(self):
        return "resolved" if self.resolved_at else "open"
