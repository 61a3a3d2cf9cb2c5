from functools import partial

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import Count, OuterRef, Q
from django.db.models.functions import JSONObject

from catalogue.exceptions import SkillNotFound
from catalogue.models.entries import NO_HISTORY, Entry, EntryQuerySet, entry_indexes
from marketplace.adminsite.history import StaffHistory
from marketplace.models import make_public_id


class SkillQuerySet(EntryQuerySet):
    def in_detail(self):
        """Annotate `bundling`: slug and title of the published personas that bundle the skill."""
        personas = self.model.personas.rel.related_model.objects.published()
        personas = personas.filter(skills=OuterRef("pk")).order_by("slug")
        return self.annotate(
            bundling=ArraySubquery(personas.values(persona=JSONObject(slug="slug", title="title")))
        )


class Skill(Entry):
    NotFound = SkillNotFound
    COUNTERS = {"downloads": ("agent_installs", Count("pk"))}

    public_id = models.CharField(
        max_length=40, default=partial(make_public_id, "skill"), editable=False
    )
    downloads = models.PositiveBigIntegerField(default=0, editable=False)

    objects = SkillQuerySet.as_manager()
    history = StaffHistory(excluded_fields=[*NO_HISTORY, "downloads"])

    class Meta(Entry.Meta):
        constraints = [
            *Entry.Meta.constraints,
            models.CheckConstraint(condition=Q(downloads__gte=0), name="downloads_not_negative"),
        ]
        indexes = entry_indexes("skill", "downloads")
