from functools import partial

from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import Count, F, OuterRef, Q, Sum, Value
from django.db.models.functions import Coalesce, JSONObject, NullIf, Round
from django.utils.functional import cached_property

from catalogue.agent_md import repaired, tools_of
from catalogue.exceptions import PersonaNotFound
from catalogue.frontmatter import as_written
from catalogue.inspection import unknown_skill_findings
from catalogue.models.entries import NO_HISTORY, Entry
from catalogue.models.indexes import entry_indexes
from catalogue.models.querysets import EntryQuerySet
from catalogue.models.skills import Skill
from catalogue.models.status import PUBLISHED, PUBLISHED_STATUS
from marketplace.adminsite.history import StaffHistory
from marketplace.models import RandomTextField, make_public_id

MAX_BUNDLED = 100  # skills (contract 8.21)
FREE = 0  # the price of a persona that can be installed over the API
RATING = models.DecimalField(max_digits=4, decimal_places=2, null=True)
# The lists and the indexes sort by it.
RATING_OR_ZERO = Coalesce("rating_avg", Value(0), output_field=RATING)


class PersonaQuerySet(EntryQuerySet):
    def for_list(self):
        return super(PersonaQuerySet, self.with_skill_slugs()).for_list()

    def with_skill_slugs(self):
        """Annotate `skill_slugs`: the published skills that the persona bundles."""
        bundled = self.model.skills.through.objects.filter(
            persona=OuterRef("pk"), skill__status=PUBLISHED_STATUS
        )
        return self.annotate(
            skill_slugs=ArraySubquery(bundled.order_by("skill__slug").values("skill__slug"))
        )

    def in_detail(self):
        """Annotate `bundled`: what a persona's detail and its page show of its published skills."""
        skills = Skill.objects.published().filter(personas=OuterRef("pk")).order_by("slug")
        names = "public_id", "slug", "title", "description", "context_tokens"
        columns = JSONObject(**{name: name for name in names})
        return self.with_successor().annotate(bundled=ArraySubquery(skills.values(skill=columns)))


class PersonaFile:
    """A persona's file: its `frontmatter`, and its prompt as `content`."""

    @property
    def file_text(self):
        """The file as it was written; without frontmatter, the prompt."""
        return self.frontmatter + self.content

    @property
    def tools(self):
        """The tools that the file asks for; None for every tool."""
        return tools_of(self.frontmatter)

    @property
    def repairs(self):
        """The names of the repairs that subagents get (contract 27.4)."""
        return repaired(self.file_text, self).repairs if self.frontmatter else []

    def written_sources(self, text):
        # Files of earlier releases lost the line ends below their prompts.
        return [as_written(text).rstrip("\n")]


class Persona(PersonaFile, Entry):
    """A persona; `content` is its prompt."""

    kind = "persona"
    LONG_COLUMNS = [*Entry.LONG_COLUMNS, "frontmatter"]
    NotFound = PersonaNotFound
    POPULARITY = "installs"
    COUNTERS = {
        "installs": ("agent_installs", Count("pk")),
        "rating_count": ("reviews", Count("counted_rating")),
        "rating_sum": ("reviews", Sum("counted_rating")),
    }

    public_id = RandomTextField(partial(make_public_id, "persona"), max_length=40)
    price_cents = models.PositiveIntegerField(
        default=0, help_text="0 means free. Agents cannot install a persona that has a price."
    )
    # The start of its file, up to the prompt: the author's lines, the lines of `---` around them
    # and the blank lines below.
    frontmatter = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="What clients get that run the persona as a subagent: YAML with fields such as "
        "tools, model or color. Without it, they get the name and the description above.",
    )
    DIGEST = "catalogue_digest(%s)"  # in SQL, of `digest_sources`
    DERIVED = {"findings": Entry.DERIVED["findings"] | {"frontmatter"}}
    skills = models.ManyToManyField(Skill, related_name="personas", blank=True)
    installs = models.PositiveBigIntegerField(default=0, editable=False)
    rating_sum = models.DecimalField(max_digits=14, decimal_places=2, default=0, editable=False)
    rating_count = models.PositiveIntegerField(default=0, editable=False)
    rating_avg = models.GeneratedField(
        expression=Round(F("rating_sum") / NullIf(F("rating_count"), Value(0)), precision=2),
        output_field=RATING,
        db_persist=True,
    )

    objects = PersonaQuerySet.as_manager()
    history = StaffHistory(
        excluded_fields=[*NO_HISTORY, "installs", "rating_sum", "rating_count", "rating_avg"],
        m2m_fields=[skills],
    )

    class Meta(Entry.Meta):
        constraints = [
            *Entry.Meta.constraints,
            models.CheckConstraint(
                condition=Q(rating_count__gte=0, rating_sum__gte=0), name="ratings_not_negative"
            ),
        ]
        indexes = [
            *entry_indexes("persona", "installs"),
            models.Index(
                RATING_OR_ZERO.desc(),
                F("id").desc(),
                name="persona_rating",
                condition=PUBLISHED,
                # Including the column lets an index-only scan count the entries with a minRating.
                include=["rating_avg"],
            ),
            models.Index(F("price_cents"), F("id") * -1, name="persona_price", condition=PUBLISHED),
        ]

    def digest_sources(self):
        return [self.file_text]

    @property
    def file_name(self):
        return f"{self.slug}.md"

    @property
    def written_text(self):
        return self.file_text

    def inspect(self, skills=None):
        """`skills` are those that it would bundle, if they are not stored yet."""
        if skills is None:
            skills = self.skills.all() if self.pk else []
        unknown = sorted(skill.slug for skill in skills if not skill.is_published)
        return [*super().inspect(), *unknown_skill_findings(self.file_name, unknown)]

    @property
    def is_free(self):
        return self.price_cents == FREE

    @property
    def bundle_tokens(self):
        """The context tokens of the persona with its skills, which `in_detail` has to annotate."""
        return self.context_tokens + sum(skill["context_tokens"] for skill in self.bundled)

    def rating_distribution(self):
        """`{"1": n, … "5": n}`: each rating at its nearest whole number, halves up."""
        reviews = self.reviews.exclude(counted_rating=None)
        nearest = reviews.values(nearest=Round("counted_rating")).annotate(reviews=Count("pk"))
        counts = {int(row["nearest"]): row["reviews"] for row in nearest.order_by()}
        return {str(rating): counts.get(rating, 0) for rating in range(1, 6)}

    @cached_property
    def ratings(self):
        """The distribution; computed on first use, unless a read has set it."""
        return self.rating_distribution()
