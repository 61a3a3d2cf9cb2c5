from functools import partial

from django.conf import settings
from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, HashIndex
from django.contrib.postgres.search import SearchVector
from django.core.validators import RegexValidator
from django.db import models, transaction
from django.db.models import Count, F, Func, OuterRef, Q, Subquery, Sum, Value
from django.db.models.functions import (
    Coalesce,
    Collate,
    Concat,
    JSONObject,
    Length,
    Lower,
    NullIf,
    Round,
)
from django.utils import timezone

from catalogue.exceptions import PersonaNotFound, SkillNotFound
from marketplace.adminsite.history import StaffHistory
from marketplace.db.compiled_queries import InlineConstant
from marketplace.models import SLUG, make_public_id

is_slug = RegexValidator(
    rf"\A{SLUG}\Z", "Use a-z, 0-9 and single hyphens between them, such as pdf-tables."
)

# Sort keys that are no plain column; the lists order by the very expressions that are indexed.
TITLE_WITHOUT_CASE = Collate(Lower("title"), "C")
RATING = models.DecimalField(max_digits=4, decimal_places=2, null=True)
# The words of a title and a slug, which staff look for among what is not published.
NAMES = SearchVector(
    Func(
        Concat("title", Value(" "), "slug"),
        function="catalogue_plain",
        output_field=models.TextField(),
    ),
    config="simple",
)
RATING_OR_ZERO = Coalesce("rating_avg", Value(0), output_field=RATING)


class Status(models.TextChoices):
    DRAFT = "draft", "Draft"
    PUBLISHED = "published", "Published"
    WITHDRAWN = "withdrawn", "Withdrawn"


class EntryQuerySet(models.QuerySet):
    def published(self):
        return self.filter(status=InlineConstant(Status.PUBLISHED))

    def recalled(self):
        """Withdrawn for a reason, of which whoever has the entry is told."""
        return self.filter(status=Status.WITHDRAWN).exclude(withdrawal_reason="")

    def by_slug(self, slug):
        """The entry with this slug; NotFound is the model's own 404."""
        # What is no slug is in no row either, and may hold what PostgreSQL refuses to read.
        if is_slug.regex.search(slug):
            try:
                return self.get(slug=slug)
            except self.model.DoesNotExist:
                pass
        raise self.model.NotFound

    def with_true_counts(self):
        """Annotate `true_<counter>` with what the counted rows say, for each of COUNTERS."""
        return self.annotate(
            **{
                f"true_{name}": total_of(self.model, relation, aggregate)
                for name, (relation, aggregate) in self.model.COUNTERS.items()
            }
        )

    def miscounted(self):
        """Entries of which a counter differs from its rows."""
        differs = Q()
        for name in self.model.COUNTERS:
            differs |= ~Q(**{name: F(f"true_{name}")})
        return self.with_true_counts().filter(differs).only("slug", *self.model.COUNTERS)

    def recount(self, entry):
        """Set the entry's counters to what its rows say."""
        with transaction.atomic():
            # Whoever is installing or reviewing waits for this lock with its count, and its rows
            # are not seen before it has counted them: nothing is counted twice or forgotten.
            self.select_for_update(no_key=True).only("pk").get(pk=entry.pk)
            true = self.with_true_counts().only("pk").get(pk=entry.pk)
            self.filter(pk=entry.pk).update(
                **{name: getattr(true, f"true_{name}") for name in self.model.COUNTERS}
            )

    def with_row_version(self):
        """Annotate `row_version`, which is another one after each write to the row, by whomever."""
        table = self.model._meta.db_table
        return self.annotate(
            row_version=Func(
                template=f'"{table}".xmin::text || "{table}".ctid::text',
                output_field=models.TextField(),
            )
        )

    def listed(self):
        """Leave in the database what no list shows, the long column above all."""
        unseen = ("content", "source", "status", "withdrawn_at", "withdrawal_reason")
        return self.defer(*unseen)


def number_of(entries):
    """The number of rows of a queryset, as a subquery."""
    counted = entries.order_by().values(every=Value(1)).annotate(number=Count("pk"))
    return Coalesce(Subquery(counted.values("number")), 0)


def total_of(model, relation, aggregate):
    """An aggregate over the rows of a reverse relation, as a subquery; 0 without rows."""
    field = model._meta.get_field(relation).field
    rows = field.model.objects.filter(**{field.name: OuterRef("pk")}).order_by()
    totals = rows.values(field.name).annotate(total=aggregate).values("total")
    return Coalesce(Subquery(totals), Value(0), output_field=models.DecimalField())


class Entry(models.Model):
    """What skills and personas share (contract 6)."""

    slug = models.CharField(max_length=100, validators=[is_slug])
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    category = models.CharField(max_length=64, blank=True)
    tags = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    runtimes = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    author = models.CharField(max_length=200, blank=True)
    version = models.CharField(max_length=64, blank=True)
    license = models.CharField(max_length=300, blank=True)
    content = models.TextField()
    status = models.CharField(max_length=9, choices=Status, default=Status.DRAFT)
    withdrawn_at = models.DateTimeField(null=True, editable=False)
    # With one a withdrawal is a recall: whoever has the entry is told (agents.sql).
    withdrawal_reason = models.CharField(max_length=1000, blank=True, editable=False)
    source = models.TextField(
        blank=True, help_text="Where an imported entry came from; the importer finds it by this."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    # An estimate of what the content costs an agent's context: characters / 4, rounded up.
    context_tokens = models.GeneratedField(
        expression=(Length("content") + 3) / 4,
        output_field=models.IntegerField(),
        db_persist=True,
    )

    objects = EntryQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["slug"], name="unique_%(class)s_slug"),
            models.UniqueConstraint(fields=["public_id"], name="unique_%(class)s_public_id"),
        ]

    def __str__(self):
        return self.slug

    @property
    def is_published(self):
        return self.status == Status.PUBLISHED

    @property
    def is_recalled(self):
        return self.status == Status.WITHDRAWN and self.withdrawal_reason != ""

    def publish(self):
        """Serve the entry; what a recall said of it is over."""
        self._become(Status.PUBLISHED)

    def redraft(self):
        """Take the entry back from the catalogue to work on it."""
        self._become(Status.DRAFT)

    def withdraw(self, reason=""):
        """Take the entry out of the catalogue for good; a reason recalls it from its agents."""
        self._become(Status.WITHDRAWN, timezone.now(), reason)

    def _become(self, status, withdrawn_at=None, withdrawal_reason=""):
        self.status = status
        self.withdrawn_at, self.withdrawal_reason = withdrawn_at, withdrawal_reason
        # Nothing else: the counters move while this runs.
        self.save(update_fields=["status", "withdrawn_at", "withdrawal_reason", "updated_at"])


PUBLISHED = Q(status=Status.PUBLISHED)


def entry_indexes(kind, popularity):
    """Indexes for the filters and sorts of one kind, over published rows only.

    Each of them is written by each install, because `popularity` is in some: no more than these.
    Staff look among the others too; an install touches published rows alone, so that those
    indexes cost it nothing.
    """

    def index(*columns, name):
        return models.Index(*columns, name=f"{kind}_{name}", condition=PUBLISHED)

    most_popular = [F(popularity).desc(), F("id").desc()]

    def unpublished(column):
        return models.Index(
            F(column), F("id").desc(), name=f"{kind}_off_{column}", condition=~PUBLISHED
        )

    return [
        index(F("created_at").desc(), F("id").desc(), name="newest"),
        index(F("updated_at").desc(), F("id").desc(), name="updated"),
        index(TITLE_WITHOUT_CASE, F("id") * -1, name="name"),
        index(*most_popular, name=popularity),
        index(F("category"), *most_popular, name="category"),
        index(F("author"), *most_popular, name="author"),
        GinIndex(fields=["tags", "runtimes"], name=f"{kind}_labels", condition=PUBLISHED),
        HashIndex(fields=["source"], name=f"{kind}_source", condition=~Q(source="")),
        *(unpublished(column) for column in ("status", "category", "author")),
        GinIndex(NAMES, name=f"{kind}_off_names", condition=~PUBLISHED),
        GinIndex(fields=["tags"], name=f"{kind}_off_tags", condition=~PUBLISHED),
    ]


# What no snapshot holds: what is computed or counted, and what never changes.
NO_HISTORY = ["public_id", "created_at", "updated_at", "context_tokens", "source"]


class SkillQuerySet(EntryQuerySet):
    def in_detail(self):
        """Annotate `bundling`: slug and title of the published personas that bundle the skill."""
        personas = Persona.objects.published().filter(skills=OuterRef("pk")).order_by("slug")
        return self.annotate(
            bundling=ArraySubquery(personas.values(persona=JSONObject(slug="slug", title="title")))
        )

    def count_download(self, skill):
        """One more download, in the transaction that installs: its last statement.

        Raises SkillNotFound where the skill has been withdrawn since it was looked up.
        """
        if not self.published().filter(pk=skill.pk).update(downloads=F("downloads") + 1):
            raise SkillNotFound


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


class PersonaQuerySet(EntryQuerySet):
    def with_skill_slugs(self):
        """Annotate `skill_slugs`: the published skills that the persona bundles."""
        bundled = Persona.skills.through.objects.filter(
            persona=OuterRef("pk"), skill__status=InlineConstant(Status.PUBLISHED)
        )
        return self.annotate(
            skill_slugs=ArraySubquery(bundled.order_by("skill__slug").values("skill__slug"))
        )

    def in_detail(self):
        """Annotate `bundled`: what a persona's detail shows of its published skills."""
        skills = Skill.objects.published().filter(personas=OuterRef("pk")).order_by("slug")
        shown = JSONObject(
            skillId="public_id", slug="slug", title="title", description="description"
        )
        return self.annotate(bundled=ArraySubquery(skills.values(skill=shown)))

    def count_install(self, persona):
        """One more install, in the transaction that installs: its last statement.

        False where the persona has been priced or withdrawn since it was looked up.
        """
        free = self.published().filter(pk=persona.pk, price_cents=0)
        return bool(free.update(installs=F("installs") + 1))

    def count_rating(self, persona, *, change, more=0):
        """Move the sum of ratings by `change` and their number by `more`.

        The last statement of the transaction that reviews, hides or restores.
        """
        self.filter(pk=persona.pk).update(
            rating_sum=F("rating_sum") + change, rating_count=F("rating_count") + more
        )


class Persona(Entry):
    """A persona; `content` is its prompt."""

    NotFound = PersonaNotFound
    COUNTERS = {
        "installs": ("agent_installs", Count("pk")),
        "rating_count": ("reviews", Count("pk", filter=Q(hidden_at=None))),
        "rating_sum": ("reviews", Sum("rating", filter=Q(hidden_at=None))),
    }

    public_id = models.CharField(
        max_length=40, default=partial(make_public_id, "persona"), editable=False
    )
    price_cents = models.PositiveIntegerField(
        default=0, help_text="0 is free. A persona with a price cannot be installed over the API."
    )
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
            models.CheckConstraint(condition=Q(price_cents__gte=0), name="price_not_negative"),
            models.CheckConstraint(condition=Q(installs__gte=0), name="installs_not_negative"),
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
                # With the column itself, minRating is counted in the index alone.
                include=["rating_avg"],
            ),
            models.Index(F("price_cents"), F("id") * -1, name="persona_price", condition=PUBLISHED),
        ]

    @property
    def is_free(self):
        return self.price_cents == 0

    def rating_distribution(self):
        """`{"1": n, … "5": n}`: each rating at its nearest whole number, halves up."""
        shown = self.reviews.filter(hidden_at=None)
        nearest = shown.values(nearest=Round("rating")).annotate(reviews=Count("pk"))
        counts = {int(row["nearest"]): row["reviews"] for row in nearest.order_by()}
        return {str(rating): counts.get(rating, 0) for rating in range(1, 6)}


class Posting(models.Model):
    """A word of a published entry, and how much the entry is about it (see docs/discovery.md).

    Triggers keep these rows, and those of the tally, in the transaction that writes the entry.
    """

    pk = models.CompositePrimaryKey("entry_id", "word")
    entry_id = models.BigIntegerField()
    impact = models.SmallIntegerField()  # thousandths
    word = models.TextField(db_collation="C")

    class Meta:
        abstract = True
        indexes = [
            # The best entries of a word stand first, so that a search can stop early.
            models.Index(F("word"), F("impact").desc(), F("entry_id").desc(), name="%(class)s_best")
        ]

    def __str__(self):
        return f"{self.word} in {self.entry_id}"


class SkillPosting(Posting):
    pass


class PersonaPosting(Posting):
    pass


Skill.POSTINGS, Persona.POSTINGS = SkillPosting, PersonaPosting


class FacetCountBase(models.Model):
    """A number of published entries: those of a kind of which a fact is true."""

    kind = models.CharField(max_length=7)
    facet = models.CharField(max_length=8)  # all, category, tag, runtime, author, free, word, …
    value = models.TextField(db_collation="C")
    entries = models.BigIntegerField()

    class Meta:
        abstract = True

    def __str__(self):
        return f"{self.entries} {self.kind}s with {self.facet} {self.value}"


class FacetCountManager(models.Manager):
    def entries(self, model, facet, value):
        """How many published entries of a kind there are of which the fact is true.

        An expression, in brackets of its own so that it is computed once for all rows; the value
        may be one too.
        """
        of = [Value(model.__name__.lower()), Value(facet)]
        return Func(
            *(*of, value if hasattr(value, "resolve_expression") else Value(value)),
            function="catalogue_count",
            template="(SELECT %(function)s(%(expressions)s))",
            output_field=models.BigIntegerField(),
        )


class FacetCount(FacetCountBase):
    """What has been counted so far."""

    objects = FacetCountManager()

    pk = models.CompositePrimaryKey("kind", "facet", "value")


class FacetCountDelta(FacetCountBase):
    """What is still to be added to the tally.

    Writers only ever append here, so none waits for another; whoever finds nobody else at it adds
    the changes up. The truth is the sum of both: the function `catalogue_count` (migration 0002).
    """

    class Meta:
        indexes = [models.Index(fields=["kind", "facet", "value"], name="facet_count_delta")]


class ImportRun(models.Model):
    """One upload in the admin: kept while its preview waits, and then for what it refused."""

    class Kind(models.TextChoices):
        SKILL = "skill", "Skills"
        PERSONA = "persona", "Personas"

    kind = models.CharField(max_length=7, choices=Kind)
    name = models.CharField("file", max_length=200)
    draft = models.BooleanField(default=False, help_text="Leave what is new as a draft.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    # The uploaded file, until it is imported or its preview is left.
    data = models.BinaryField(null=True)
    created = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    # The first of them, as [path, reason].
    refusals = models.JSONField(default=list)

    class Meta:
        ordering = ["-id"]

    def __str__(self):
        return f"{self.name} of {self.created_at:%d %B %Y, %H:%M}"
