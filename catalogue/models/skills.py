from functools import partial

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models, transaction
from django.db.models import Case, Count, OuterRef, Q, When
from django.db.models.functions import JSONObject

from catalogue.exceptions import SkillNotFound
from catalogue.models.entries import (
    NO_HISTORY,
    Entry,
    EntryQuerySet,
    digest_of,
    entry_indexes,
)
from catalogue.skill_md import skill_md_of
from marketplace.adminsite.history import StaffHistory
from marketplace.models import make_public_id


class SkillQuerySet(EntryQuerySet):
    def for_list(self):
        return super().for_list().defer("skill_md")

    def in_detail(self):
        """Annotate `bundling`: slug and title of the published personas that bundle the skill."""
        personas = self.model.personas.rel.related_model.objects.published()
        personas = personas.filter(skills=OuterRef("pk")).order_by("slug")
        return self.annotate(
            bundling=ArraySubquery(personas.values(persona=JSONObject(slug="slug", title="title")))
        )


class SkillMdField(models.TextField):
    """The SKILL.md that is served; empty where the content itself is.

    It is stored, so that a release that writes frontmatter differently is no update of any skill
    (lifecycle 14).
    """

    MADE_OF = {"content", "slug", "title", "description", "license", "category", "author"}
    MADE_OF |= {"tags", "runtimes", "version"}

    def pre_save(self, skill, add):
        text = skill_md_of(skill)
        skill.skill_md = "" if text == skill.content else text
        return skill.skill_md


class Skill(Entry):
    NotFound = SkillNotFound
    COUNTERS = {"downloads": ("agent_installs", Count("pk"))}

    public_id = models.CharField(
        max_length=40, default=partial(make_public_id, "skill"), editable=False
    )
    skill_md = SkillMdField(blank=True, editable=False, default="", db_default="")
    digest = digest_of(
        Case(When(skill_md="", then="content"), default="skill_md", output_field=models.TextField())
    )
    downloads = models.PositiveBigIntegerField(default=0, editable=False)

    objects = SkillQuerySet.as_manager()
    history = StaffHistory(excluded_fields=[*NO_HISTORY, "skill_md", "downloads"])

    class Meta(Entry.Meta):
        constraints = [
            *Entry.Meta.constraints,
            models.CheckConstraint(condition=Q(downloads__gte=0), name="downloads_not_negative"),
        ]
        indexes = entry_indexes("skill", "downloads")

    @transaction.atomic
    def save(self, *, update_fields=None, **options):
        changed = SkillMdField.MADE_OF.intersection(update_fields or ())
        if changed:
            # The file is made of what others have saved, too.
            locked = Skill.objects.select_for_update(no_key=True)
            self.refresh_from_db(fields=SkillMdField.MADE_OF - changed, from_queryset=locked)
            update_fields = {*update_fields, "skill_md"}
        super().save(update_fields=update_fields, **options)

    @property
    def file_text(self):
        """The text of its SKILL.md."""
        return self.skill_md or self.content
